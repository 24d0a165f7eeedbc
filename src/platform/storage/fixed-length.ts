// Streams of known length.
import { Failure } from '../util/errors.ts';

/** In Workers, bytes from R2 pass through a FixedLengthStream without waking the isolate, and its reader knows the length. */
export const fixedLengthPipe = (length: number) =>
  'FixedLengthStream' in globalThis ? new FixedLengthStream(length) : new TransformStream<Uint8Array, Uint8Array>();

async function pump(body: ReadableStream<Uint8Array>, length: number, writer: WritableStreamDefaultWriter<Uint8Array>) {
  let passed = 0;
  for await (const chunk of body) {
    passed += chunk.length;
    if (passed > length) break;
    await writer.write(chunk);
  }
  if (passed === length) return;
  throw new Failure('bad-parameter', `The body does not have the ${length} bytes that Content-Length announces.`);
}

/** Passes exactly `length` bytes to `write`, which gets them all after `confirm`, or none; null without it. @throws Failure (bad-parameter) */
export async function writeExactly<T>(
  body: ReadableStream<Uint8Array>,
  length: number,
  write: (body: ReadableStream<Uint8Array>) => Promise<T>,
  confirm: () => Promise<boolean>,
): Promise<T | null> {
  const { readable, writable } = fixedLengthPipe(length);
  const writer = writable.getWriter();
  // `write` reports failures.
  writer.closed.catch(() => undefined);
  const written = write(readable);
  // When `write` fails early, the feeding side must not wait for it.
  written.catch((error: unknown) => writer.abort(error).catch(() => undefined));
  let isConfirmed = false;
  const feed = async () => {
    await pump(body, length, writer);
    isConfirmed = await confirm();
    await (isConfirmed ? writer.close() : writer.abort());
  };
  const fed = feed().catch(async (error: unknown) => {
    await writer.abort(error).catch(() => undefined);
    throw error;
  });
  const [feeding, writing] = await Promise.allSettled([fed, written]);
  if (feeding.status === 'rejected' && feeding.reason instanceof Failure) throw feeding.reason;
  if (feeding.status === 'fulfilled' && !isConfirmed) return null;
  if (writing.status === 'rejected') throw writing.reason;
  if (feeding.status === 'rejected') throw feeding.reason;
  return writing.value;
}
