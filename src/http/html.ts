// Small pages: escaped, without scripts, framed by nobody.
import { type BytesRepresentation, type RepresentationFacts, textReply } from './representation.ts';

const HTML_TYPE = 'text/html; charset=utf-8';

const STYLE = `body{margin:4rem auto;max-width:34rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#eee;background:#111}
a{color:#fc6}h1{font-size:1.4rem}progress{width:100%}button{font:inherit;padding:.4rem 1rem}`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it stands in HTML, also in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

async function sourceHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}

export interface SmallPage {
  readonly title: string;
  /** Markup of the page below its heading, whose text is escaped. */
  readonly body: string;
  /** Seconds after which the browser asks again. */
  readonly refreshSeconds?: number;
}

/** `status`: unset for 200. */
export async function htmlReply(
  { title, body, refreshSeconds }: SmallPage,
  facts: RepresentationFacts & { readonly status?: number },
): Promise<BytesRepresentation> {
  const heading = escapeHtml(title);
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const text = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title>${refresh}
<style>${STYLE}</style></head>
<body><h1>${heading}</h1>
${body}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${await sourceHash(STYLE)}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = { ...facts.headers, 'Content-Security-Policy': policy };
  const reply = await textReply(HTML_TYPE, text, { ...facts, headers });
  return facts.status === undefined ? reply : { ...reply, status: facts.status };
}
