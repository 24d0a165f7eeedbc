// Answers of a world's service to its clients, and what is wrong with one.
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The connection broke, because the isolate ended. */
export const BROKEN = 'broken';

export const textOf = ({ body }: Answer): string => new TextDecoder().decode(body);
export const jsonOf = <T>({ body }: Answer): T => JSON.parse(new TextDecoder().decode(body)) as T;

/** Texts of the platform that no client may see. */
const INNER = /D1_|SQLITE|Network connection lost|\(10\d{3}\)|object to be reset|Queue send failed/;

/** The defect of an error response; null for an honest one. */
export function dishonestyOf(answer: Answer): string | null {
  const { status, headers } = answer;
  if (status >= 500 && status !== 503) return `status ${status}`;
  if (INNER.test(textOf(answer))) return 'a text of the platform';
  if (status === 503 && !/^\d+$/.test(headers.get('Retry-After') ?? '')) return 'no Retry-After';
  let body: { readonly error?: unknown; readonly errno?: unknown };
  try {
    body = jsonOf(answer);
  } catch {
    return 'no JSON';
  }
  return typeof body.error === 'string' && typeof body.errno === 'number' ? null : 'no sentence or no errno';
}
