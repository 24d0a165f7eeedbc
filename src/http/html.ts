// Pages made here: escaped, without scripts, with a policy that says what they load and who may frame them.
import { toBase64 } from '../util/base64.ts';
import { sha256 } from '../util/digest.ts';
import { escapeHtml } from '../util/markup.ts';
import { type BytesRepresentation, type RepresentationFacts, textReply } from './representation.ts';

const HTML_TYPE = 'text/html; charset=utf-8';

/** What a page may do (Content Security Policy, level 3). Whatever is not named here stays forbidden. */
export interface PagePolicy {
  /** Directives of what it loads, as `img-src 'self'`. */
  readonly loads: readonly string[];
  /** Where its forms may go. */
  readonly formAction: "'self'" | "'none'";
  /** Whose frames it may stand in. */
  readonly frameAncestors: "'none'" | '*';
}

export interface Page {
  /** Text. */
  readonly title: string;
  readonly style: string;
  /** Further markup of the head. */
  readonly head?: string;
  /** Markup, whose text is escaped. */
  readonly body: string;
  /** Seconds after which the browser asks again. */
  readonly refreshSeconds?: number;
  readonly policy: PagePolicy;
}

type PageFacts = RepresentationFacts & { readonly status?: number };

/** `status`: unset for 200. */
export async function pageReply(
  { title, style, head = '', body, refreshSeconds, policy: { loads, formAction, frameAncestors } }: Page,
  facts: PageFacts,
): Promise<BytesRepresentation> {
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
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
  const reply = await textReply(HTML_TYPE, text, { ...facts, headers });
  return facts.status === undefined ? reply : { ...reply, status: facts.status };
}

const SMALL_STYLE = `body{margin:4rem auto;max-width:34rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#eee;background:#111}
a{color:#fc6}h1{font-size:1.4rem}progress{width:100%}button{font:inherit;padding:.4rem 1rem}`;

/** Framed by nobody: what they ask for is done in the name of their user. */
const SMALL_POLICY: PagePolicy = { loads: [], formAction: "'self'", frameAncestors: "'none'" };

/** A few lines under a heading. */
export type SmallPage = Pick<Page, 'title' | 'body' | 'refreshSeconds'>;

export function htmlReply({ title, body, ...rest }: SmallPage, facts: PageFacts): Promise<BytesRepresentation> {
  const headed = `<h1>${escapeHtml(title)}</h1>\n${body}`;
  return pageReply({ ...rest, title, style: SMALL_STYLE, body: headed, policy: SMALL_POLICY }, facts);
}
