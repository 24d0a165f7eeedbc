// HTML pages of the service: escaped, without scripts, with a Content Security Policy.
import { sha256, toBase64 } from '../util/bytes.ts';
import { SERVICE_NAME } from '../util/identity.ts';
import { escapeHtml } from '../util/markup.ts';
import { type BytesRepresentation, type RepresentationFacts, textReply } from './response.ts';

/** A page with its Content Security Policy (level 3), which forbids what is not listed. */
export interface Page {
  /** Plain text. */
  readonly title: string;
  readonly style: string;
  readonly head?: string;
  /** Markup, with its text already escaped. */
  readonly body: string;
  /** Seconds after which the browser reloads the page. */
  readonly refreshSeconds?: number;
  /** Fetch directives, as `img-src 'self'`. Unset: none. */
  readonly loads?: readonly string[];
  /** Targets of its forms. Unset: none. */
  readonly formAction?: "'self'" | "'none'";
  /** Sites that may embed it in a frame. Unset: none. */
  readonly frameAncestors?: '*' | "'none'";
}

export async function pageReply(
  { title, style, head = '', body, refreshSeconds, loads = [], formAction = "'none'", frameAncestors = "'none'" }: Page,
  facts: RepresentationFacts,
): Promise<BytesRepresentation> {
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${refresh}${head}<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    ...loads,
    `style-src 'sha256-${toBase64(await sha256(style))}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
  const headers = { ...facts.headers, 'Content-Security-Policy': policy };
  return textReply('text/html; charset=utf-8', text, { ...facts, headers });
}

/** Colours of both themes, which follow the system, and the parts of `framed`. */
export const BASE_STYLE = `:root{color-scheme:light dark;--accent:light-dark(#8a4b00,#fc6);--line:light-dark(#c9ced8,#333)}
body{margin:0;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:light-dark(#151922,#eee);background:light-dark(#fff,#111)}
a{color:var(--accent)}header,main,footer{max-width:52rem;margin:0 auto}header a{display:inline-block;padding:.8rem 0;font-weight:600}
footer{margin-top:2rem;border-top:1px solid var(--line)}footer a{display:inline-block;padding:.7rem 0;margin-right:1.2rem}`;

/** The content of a page between the name of the service and the ways to its other pages. */
export const framed = (content: string): string => `<header><a href="/">${SERVICE_NAME}</a></header>
<main>
${content}
</main>
<footer><nav aria-label="Pages of the service"><a href="/">See the Sun</a><a href="/docs/">API</a><a href="/status">Status</a></nav></footer>`;

const SMALL_STYLE = `${BASE_STYLE}
main{max-width:34rem;margin:2rem auto}h1{font-size:1.4rem}h2{font-size:1.15rem}progress{width:100%}button{font:inherit;padding:.4rem 1rem}`;

export type SmallPage = Pick<Page, 'title' | 'body' | 'refreshSeconds'>;

/** A small page. No site may frame it, because its forms act for their user (clickjacking). */
export function htmlReply({ title, body, ...rest }: SmallPage, facts: RepresentationFacts): Promise<BytesRepresentation> {
  const headed = framed(`<h1>${escapeHtml(title)}</h1>\n${body}`);
  return pageReply({ ...rest, title, style: SMALL_STYLE, body: headed, formAction: "'self'" }, facts);
}

/** Whether a browser accepts a page: programs accept anything, or JSON. */
export function acceptsPage(headers: Headers): boolean {
  const accepted = headers.get('Accept') ?? '';
  return /\btext\/html\b/.test(accepted) && !/\bapplication\/json\b/.test(accepted);
}

/** Whether a browser asks for a page. */
export function wantsPage({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptsPage(headers);
}
