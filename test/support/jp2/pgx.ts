// PGX, the raster format of the conformance streams (ISO/IEC 15444-4 Annex A) and of opj_decompress: one component a file.

export type PgxImage = ReturnType<typeof readPgx>;

const HEADER = /^PG\s+(ML|LM)\s*([+-]?)\s*(\d+)\s+(\d+)\s+(\d+)\s$/;

export function readPgx(bytes: Uint8Array) {
  const headerEnd = bytes.indexOf(0x0a) + 1;
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, headerEnd));
  const [, byteOrder, sign, precision, width, height] = HEADER.exec(text) ?? [];
  if (!height) throw new Error(`Expected the header of a PGX file, got ${JSON.stringify(text)}.`);
  const image = { width: Number(width), height: Number(height), precision: Number(precision), signed: sign === '-' };
  const view = new DataView(bytes.buffer, bytes.byteOffset + headerEnd, bytes.length - headerEnd);
  const little = byteOrder === 'LM';
  const samples = Int32Array.from({ length: image.width * image.height }, (_, i) => {
    if (image.precision <= 8) return image.signed ? view.getInt8(i) : view.getUint8(i);
    return image.signed ? view.getInt16(i * 2, little) : view.getUint16(i * 2, little);
  });
  return { ...image, samples };
}
