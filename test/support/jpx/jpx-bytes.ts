// The bytes of a JPX layout over files in memory.

import { readBoxes } from '../../../src/imaging/jp2/boxes.ts';
import type { JpxFrame, JpxLayout, Segment } from '../../../src/imaging/jpx/layout.ts';

/** A JP2 file as a frame of a JPX file. */
export function frameOf(key: string, jp2: Uint8Array): JpxFrame {
  const { codestream, xml, header } = readBoxes(jp2);
  const part = ({ start, end }: { start: number; end: number }) => ({ offset: start, length: end - start });
  const rsiz = ((jp2[codestream.start + 6] as number) << 8) | (jp2[codestream.start + 7] as number);
  return { key, path: key, codestream: part(codestream), xml: xml && part(xml), header: header!, rsiz };
}

export function segmentBytes(segments: readonly Segment[], files: ReadonlyMap<string, Uint8Array>): Buffer {
  return Buffer.concat(
    segments.map((segment) => {
      if ('bytes' in segment) return segment.bytes;
      return files.get(segment.key)!.subarray(segment.offset, segment.offset + segment.length);
    }),
  );
}

export function layoutBytes(layout: JpxLayout, files: ReadonlyMap<string, Uint8Array>): Buffer {
  return segmentBytes(layout.segments, files);
}
