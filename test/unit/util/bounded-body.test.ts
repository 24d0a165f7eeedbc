import { describe, expect, it } from 'vitest';
import { boundedBody } from '../../../src/platform/util/bytes.ts';

function streamOf(...chunks: readonly string[]) {
  const rest = chunks.map((text) => new TextEncoder().encode(text));
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { stream, isCancelled: () => isCancelled };
}

const textOf = (bytes: Uint8Array | null) => bytes && new TextDecoder().decode(bytes);

describe.each([false, true])('boundedBody (preallocate: %s)', (preallocate) => {
  it('reads a body up to the limit, a missing one as empty, and gives null for a longer one, whose stream it cancels', async () => {
    expect(textOf(await boundedBody(streamOf('abc', 'de').stream, { maxBytes: 5, preallocate }))).toBe('abcde');
    expect(textOf(await boundedBody(streamOf('abc', 'de').stream, { maxBytes: 9, preallocate }))).toBe('abcde');
    const { stream, isCancelled } = streamOf('abc', 'de', 'f');
    expect(await boundedBody(stream, { maxBytes: 4, preallocate })).toBeNull();
    expect(isCancelled()).toBe(true);
    expect(await boundedBody(null, { maxBytes: 4, preallocate })).toEqual(new Uint8Array(0));
  });

  it('ends a stream that hangs when the signal aborts', async () => {
    const hanging = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const signal = AbortSignal.timeout(20);
    await expect(boundedBody(hanging, { maxBytes: 4, preallocate, signal })).rejects.toMatchObject({ name: 'TimeoutError' });
    const { stream, isCancelled } = streamOf('abc');
    await expect(boundedBody(stream, { maxBytes: 4, preallocate, signal })).rejects.toBe(signal.reason);
    expect(isCancelled()).toBe(true);
  });
});
