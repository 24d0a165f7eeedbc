// A JP2 file around a codestream, with the boxes that archive files have.

const text = new TextEncoder();

export function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = 8 + parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(length);
  bytes.write(type, 4, 'latin1');
  let at = 8;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(bytes);
}

export const SAMPLE_XML =
  '<?xml version="1.0" encoding="utf-8"?>\n<meta><fits><TELESCOP>SDO/AIA</TELESCOP><WAVELNTH>171</WAVELNTH><NOTE>a &lt; b</NOTE>' +
  '<CDELT1 unit="arcsec">0.6</CDELT1></fits><helioviewer><HV_ROTATION>0.0</HV_ROTATION></helioviewer></meta>';

/** Signature, file type, header with a palette of reds, XML, codestream. */
export function jp2File(codestream: Uint8Array, xml = SAMPLE_XML): Uint8Array {
  const palette = new Uint8Array(3 + 3 + 256 * 3);
  palette.set([1, 0, 3, 7, 7, 7]);
  for (let i = 0; i < 256; i++) palette[6 + 3 * i] = i;
  const mapping = Uint8Array.of(0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2);
  return Buffer.concat([
    box('jP  ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
    box('ftyp', text.encode('jp2 \0\0\0\0jp2 ')),
    box('jp2h', box('pclr', palette), box('cmap', mapping)),
    box('xml ', text.encode(xml)),
    box('jp2c', codestream),
  ]);
}
