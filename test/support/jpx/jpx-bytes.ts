// The bytes of a JPX layout whose JP2 files are in memory.
import { readBoxes } from '../../../src/jp2/boxes.ts';
import type { ByteSource } from '../../../src/jp2/byte-source.ts';
import type { JpxFrame, JpxLayout } from '../../../src/jp2/jpx/layout.ts';

/** A JP2 file as a frame of a JPX file. */
export function frameOf(key: string, jp2: Uint8Array): JpxFrame {
  const { codestream, xml, header } = readBoxes(jp2);
  const range = ({ start, end }: { start: number; end: number }) => ({ offset: start, length: end - start });
  const rsiz = ((jp2[codestream.start + 6] as number) << 8) | (jp2[codestream.start + 7] as number);
  return { key, path: key, codestream: range(codestream), xml: xml && { key, ...range(xml) }, header: header!, rsiz };
}

export function sourceBytes(sources: readonly ByteSource[], files: ReadonlyMap<string, Uint8Array>): Buffer {
  return Buffer.concat(
    sources.map((source) => {
      if (source instanceof Uint8Array) return source;
      return files.get(source.key)!.subarray(source.offset, source.offset + source.length);
    }),
  );
}

export function layoutBytes(layout: JpxLayout, files: ReadonlyMap<string, Uint8Array>): Buffer {
  return sourceBytes(layout.sources, files);
}
