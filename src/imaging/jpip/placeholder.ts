// Placeholder boxes (ISO/IEC 15444-9, A.3.6.3): in metadata-bin 0 they stand where a file has its codestreams.

const CODESTREAM_EQUIVALENT = 4;

/**
 * The placeholder of codestream `number`. `originalHeader`: the header of the box that is left out, of 8 or 16 bytes; the
 * placeholder has 44 bytes more.
 */
export function placeholder(originalHeader: Uint8Array, number: number): Uint8Array {
  const box = new Uint8Array(44 + originalHeader.length);
  const view = new DataView(box.buffer);
  view.setUint32(0, box.length);
  box.set(new TextEncoder().encode('phld'), 4);
  view.setUint32(8, CODESTREAM_EQUIVALENT);
  // OrigID at 12, of 8 bytes, is 0: the original is in no bin of its own. So are EquivID and EquivBH behind OrigBH.
  box.set(originalHeader, 20);
  view.setBigUint64(box.length - 8, BigInt(number));
  return box;
}
