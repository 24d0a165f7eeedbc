import { allocate, bytesAt, copyIn, withCore } from '../../../src/jp2/core/core.ts';

/**
 * Parts of a stream as the core compresses them, one after the other, and the empty block that ends it.
 * @throws Error for a part that takes more bytes than a writer has room for
 */
export const deflated = (parts: readonly Uint8Array[]): Uint8Array => {
  const blocks = parts.map((part) =>
    withCore((core) => {
      const bytes = copyIn(core, part);
      const most = 2 * part.length + 1024;
      const [scratch, out] = [allocate(core, 2 * part.length), allocate(core, most)];
      const length = core.deflate(bytes, part.length, scratch, out);
      if (length > most) throw new Error(`Expected at most ${most} bytes of ${part.length}, got ${length}.`);
      return bytesAt(core, out, length).slice();
    }),
  );
  return Buffer.concat([...blocks, Uint8Array.of(0x03, 0x00)]);
};
