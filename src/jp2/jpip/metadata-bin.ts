// Metadata-bin 0 (ISO/IEC 15444-9, A.3.6): the file with a placeholder box instead of each codestream or fragment table.
import { BOX_HEADER_BYTES, box, LONG_BOX_HEADER_BYTES, u32, u64 } from '../boxes.ts';
import { type ByteSource, SourceSequence } from '../byte-source.ts';
import { layoutOf } from '../jpx/layout.ts';

const CODESTREAM_BOXES: readonly string[] = ['jp2c', 'ftbl'];

/** Flag of a placeholder box for a codestream (A.3.6.3). */
const CODESTREAM_EQUIVALENT = 4;

/** The placeholder box (A.3.6.3) of codestream `number`. `originalHeader`: the 8 or 16 bytes of the replaced box. */
export const placeholderBox = (originalHeader: Uint8Array, number: number): Uint8Array =>
  // OrigID, EquivID and EquivBH are 0, because no data-bin holds the original box.
  box('phld', u32(CODESTREAM_EQUIVALENT), u64(0), originalHeader, u64(0), u64(0), u64(number));

/** The header of the box at a position. The layout keeps such headers in memory, in one source. */
function boxHeaderAt(file: SourceSequence, at: number): Uint8Array {
  const [bytes] = file.slice(at, at + LONG_BOX_HEADER_BYTES);
  if (!(bytes instanceof Uint8Array) || bytes.length < BOX_HEADER_BYTES)
    throw new RangeError('The JPX layout has no box header in memory at this offset.');
  const isLong = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) === 1;
  return bytes.subarray(0, isLong ? LONG_BOX_HEADER_BYTES : BOX_HEADER_BYTES);
}

/** Metadata-bin 0 of the JPX file that `sources` make up. @throws RangeError when the sources are not a sequence of boxes */
export function metadataSources(sources: readonly ByteSource[]): readonly ByteSource[] {
  const file = new SourceSequence(sources);
  const found: ByteSource[] = [];
  for (let [at, codestreams] = [0, 0]; at < file.length; ) {
    const header = boxHeaderAt(file, at);
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    const end = at + (header.length === LONG_BOX_HEADER_BYTES ? Number(view.getBigUint64(8)) : view.getUint32(0));
    if (end > file.length) throw new RangeError('A box of the JPX layout reaches beyond the end of the file.');
    if (CODESTREAM_BOXES.includes(String.fromCharCode(...header.subarray(4, 8))))
      found.push(placeholderBox(header, codestreams++));
    else for (const source of file.slice(at, end)) found.push(source);
    at = end;
  }
  return layoutOf(found).sources;
}
