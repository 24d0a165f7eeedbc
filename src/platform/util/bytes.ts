export const concatenated = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => drainChunks([...parts]);

/** As `concatenated`, but empties the list on the way, so that each chunk can be freed once it is copied. */
export function drainChunks(chunks: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = joined.length;
  for (let chunk = chunks.pop(); chunk; chunk = chunks.pop()) {
    at -= chunk.length;
    joined.set(chunk, at);
  }
  return joined;
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Bytes that are passed as arguments of one call. */
const CALL_BYTES = 8192;

/** Base64 of the standard alphabet with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  let characters = '';
  for (let at = 0; at < bytes.length; at += CALL_BYTES) characters += String.fromCharCode(...bytes.subarray(at, at + CALL_BYTES));
  return btoa(characters);
}

/** @throws DOMException for text that is not base64 */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Lower-case hexadecimal digits, two for each byte. */
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const fromHex = (digits: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));

export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The value of JSON in UTF-8 that this service has written. @throws SyntaxError for other bytes */
export const jsonOf = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

/** Random bytes of the platform's cryptographic generator, in hexadecimal. */
export const randomHex = (byteCount: number): string => hex(crypto.getRandomValues(new Uint8Array(byteCount)));

/** SHA-256 (FIPS 180-4) of bytes, or of text in UTF-8: 32 bytes. */
export async function sha256(content: Uint8Array | string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : (content as Uint8Array<ArrayBuffer>);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** SHA-256 of bytes, or of text in UTF-8: 64 hexadecimal digits. */
export const sha256Hex = async (content: Uint8Array | string): Promise<string> => hex(await sha256(content));

/** HMAC-SHA-256 (RFC 2104) of text in UTF-8: 32 bytes. */
export async function hmacSha256(secret: Uint8Array, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret as Uint8Array<ArrayBuffer>, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)));
}

/** HMAC-SHA-256 of text under a secret, both in UTF-8: 64 hexadecimal digits. */
export const hmacSha256Hex = async (secret: string, text: string): Promise<string> =>
  hex(await hmacSha256(new TextEncoder().encode(secret), text));

interface BodyLimits {
  readonly maxBytes: number;
  /** Ends the reading, also of a stream that hangs. */
  readonly signal?: AbortSignal;
  /** Allocates `maxBytes` at once, so that a large body is never held twice. */
  readonly preallocate?: boolean;
}

/** Bytes of a stream, null for more than `maxBytes`, whose rest is cancelled. @throws the reason of the signal, or the stream's error */
export async function boundedBody(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, signal, preallocate = false }: BodyLimits,
) {
  if (!body) return new Uint8Array(0);
  const reader = body.getReader();
  // A hanging stream need not notice the signal.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  const whole = preallocate ? new Uint8Array(maxBytes) : null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    signal?.throwIfAborted();
    for (;;) {
      const { done, value } = await reader.read().finally(() => signal?.throwIfAborted());
      if (done) return whole && length < maxBytes ? whole.slice(0, length) : (whole ?? concatenated(chunks));
      if (length + value.byteLength > maxBytes) return null;
      if (whole) whole.set(value, length);
      else chunks.push(value);
      length += value.byteLength;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The value of JSON, as text or in UTF-8; undefined for other text, and with `fatal` for bytes that are not UTF-8. */
export function parsedJson(json: string | Uint8Array, { fatal = false } = {}): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal, ignoreBOM: false }).decode(json));
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object: no list, and not null. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
