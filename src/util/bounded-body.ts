import { concatenated } from './bytes.ts';

interface Bounds {
  /** Largest number of bytes that is accepted. */
  readonly maxBytes: number;
  /** Ends the reading, also of a stream that hangs. */
  readonly signal?: AbortSignal;
  /** Allocates `maxBytes` at once, so that a large body is never held twice. */
  readonly preallocate?: boolean;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** One read that settles when the signal aborts, because a hanging stream need not notice. */
function read(reader: Reader, signal: AbortSignal | undefined): Promise<ReadableStreamReadResult<Uint8Array>> {
  if (!signal) return reader.read();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    reader
      .read()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

function trimmed(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return length === bytes.length ? bytes : bytes.slice(0, length);
}

/**
 * The bytes of a stream, or null when it has more than `maxBytes`. The rest of a stream that is not read to its end is cancelled.
 * @throws The reason of the signal, or the error of the stream
 */
export async function boundedBody(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, signal, preallocate = false }: Bounds,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body) return new Uint8Array(0);
  const reader: Reader = body.getReader();
  const whole = preallocate ? new Uint8Array(maxBytes) : null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await read(reader, signal);
      if (done) return whole ? trimmed(whole, length) : concatenated(chunks);
      if (length + value.byteLength > maxBytes) break;
      if (whole) whole.set(value, length);
      else chunks.push(value);
      length += value.byteLength;
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
  reader.cancel().catch(() => undefined);
  return null;
}
