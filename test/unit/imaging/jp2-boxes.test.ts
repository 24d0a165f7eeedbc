import { expect, it, vi } from 'vitest';
import { jp2Header } from '../../../src/archive/jp2-header.ts';
import { readBoxes } from '../../../src/jp2/boxes.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { decodeFileLayout, decodeSidecar, encodeSidecar, indexJp2 } from '../../../src/jp2/sidecar.ts';
import { decodeXmlText, parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import { box, jp2File, SAMPLE_XML } from '../../support/jp2/jp2-file.ts';
import { sampleFile } from '../../support/sample-files.ts';

const CODESTREAM = Uint8Array.of(0xff, 0x4f, 0xff, 0x51, 1, 2, 3, 4);
const SIGNATURE = box('jP  ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a));
const text = (bytes: Uint8Array, { start, end }: { start: number; end: number }): string =>
  new TextDecoder().decode(bytes.subarray(start, end));

it('codestream, XML and palette are found in a well-formed file', () => {
  const file = jp2File(CODESTREAM);
  const { codestream, xml, palette } = readBoxes(file);
  expect(Array.from(file.subarray(codestream.start, codestream.end))).toEqual(Array.from(CODESTREAM));
  expect(text(file, xml as never)).toBe(SAMPLE_XML);
  expect(Array.from(palette?.subarray(0, 6) ?? [])).toEqual([0, 0, 0, 1, 0, 0]);
  expect(palette?.[255 * 3]).toBe(255);
});

it('the component mapping selects the palette columns', () => {
  const columns = new Uint8Array(6 + 3).fill(7);
  columns.set([0, 1, 3, 7, 7, 7, 10, 20, 30]);
  const mapping = Uint8Array.of(0, 0, 1, 2, 0, 0, 1, 1, 0, 0, 1, 0);
  const file = Buffer.concat([SIGNATURE, box('jp2h', box('pclr', columns), box('cmap', mapping)), box('jp2c', CODESTREAM)]);
  const { palette } = readBoxes(file);
  expect(Array.from(palette?.subarray(0, 3) ?? [])).toEqual([30, 20, 10]);
  expect(Array.from(palette?.subarray(765) ?? [])).toEqual([30, 20, 10]);
});

it('a codestream box of length 0 extends to the end of the file, and one of 64-bit length to its end', () => {
  const open = Buffer.concat([SIGNATURE, box('jp2c', CODESTREAM)]);
  open.writeUInt32BE(0, SIGNATURE.length);
  expect(readBoxes(open).codestream).toMatchObject({ start: SIGNATURE.length + 8, end: open.length });

  const long = Buffer.concat([SIGNATURE, box('jp2c', new Uint8Array(8), CODESTREAM), Buffer.from('behind')]);
  long.writeUInt32BE(1, SIGNATURE.length);
  long.writeBigUInt64BE(BigInt(16 + CODESTREAM.length), SIGNATURE.length + 8);
  expect(readBoxes(long).codestream).toMatchObject({ start: SIGNATURE.length + 16, end: long.length - 6 });
});

it('boxes of unknown types are skipped', () => {
  const file = Buffer.concat([SIGNATURE, box('wxyz', Uint8Array.of(1, 2, 3)), box('uuid'), jp2File(CODESTREAM)]);
  const { codestream, xml } = readBoxes(file);
  expect(Array.from(file.subarray(codestream.start, codestream.end))).toEqual(Array.from(CODESTREAM));
  expect(xml).not.toBeNull();
});

it('codestream and XML are found in spite of a wrong length of the XML box', () => {
  const file = Buffer.from(jp2File(CODESTREAM));
  const at = file.indexOf('xml ') - 4;
  file.writeUInt32BE(file.readUInt32BE(at) - 40, at);
  const { codestream, xml } = readBoxes(file);
  expect(Array.from(file.subarray(codestream.start, codestream.end))).toEqual(Array.from(CODESTREAM));
  expect(text(file, xml as never)).toBe(SAMPLE_XML);
});

it('a closing tag before the XML of a malformed file is ignored', () => {
  const file = Buffer.concat([Buffer.from('broken </meta> <?xml version="1.0"?><meta>cut'), CODESTREAM]);
  const { xml } = readBoxes(file);
  expect(text(file, xml as never)).toBe('<?xml version="1.0"?><meta>cut');
});

it('a bare codestream has no XML, header box or palette', () => {
  const codestream = { type: 'jp2c', start: 0, end: 8 };
  expect(readBoxes(CODESTREAM)).toEqual({ codestream, xml: null, header: null, palette: null });
});

it('the header box is returned whole, with a header of sixteen bytes shortened to eight', () => {
  const colour = box('colr', Uint8Array.of(1, 0, 0, 0, 0, 0, 17));
  const plain = Buffer.concat([SIGNATURE, box('jp2h', colour), box('jp2c', CODESTREAM)]);
  expect(Buffer.from(readBoxes(plain).header ?? [])).toEqual(Buffer.from(box('jp2h', colour)));

  const long = Buffer.concat([SIGNATURE, box('jp2h', new Uint8Array(8), colour), box('jp2c', CODESTREAM)]);
  long.writeUInt32BE(1, SIGNATURE.length);
  long.writeBigUInt64BE(BigInt(16 + colour.length), SIGNATURE.length + 8);
  expect(Buffer.from(readBoxes(long).header ?? [])).toEqual(Buffer.from(box('jp2h', colour)));
});

it.for<[string, Uint8Array, string]>([
  ['no bytes', new Uint8Array(0), 'The file has no JPEG 2000 codestream.'],
  ['a PNG', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'The file has no JPEG 2000 codestream.'],
  [
    'a palette without entries',
    Buffer.concat([SIGNATURE, box('jp2h', box('pclr', Uint8Array.of(0, 0, 3, 7, 7, 7))), box('jp2c', CODESTREAM)]),
    'The palette box has 0 entries instead of 1 to 1024.',
  ],
  [
    'a palette that is cut short',
    Buffer.concat([SIGNATURE, box('jp2h', box('pclr', Uint8Array.of(1, 0, 3, 7, 7, 7, 1, 2))), box('jp2c', CODESTREAM)]),
    'The palette box is cut short: 2 of 768 bytes are left.',
  ],
])('%s is refused', ([, bytes, message]) => {
  expect(() => readBoxes(bytes)).toThrow(new Jp2Error('malformed', message));
});

const utf8 = (content: string) => new TextEncoder().encode(content);
const xml = (content: string | Uint8Array) => box('xml ', typeof content === 'string' ? utf8(content) : content);
const uuid = (content: string | Uint8Array) =>
  box('uuid', new Uint8Array(16).fill(0xb1), typeof content === 'string' ? utf8(content) : content);
const meta = (note: string) => `<meta><fits><NOTE>${note}</NOTE></fits></meta>`;
const XMP = '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF/></x:xmpmeta><?xpacket end="w"?>';
const utf16 = (content: string) => Buffer.from(`\ufeff${content}`, 'utf16le');
const extended = (type: string, content: Uint8Array) => {
  const bytes = Buffer.from(box(type, new Uint8Array(8), content));
  bytes.writeUInt32BE(1, 0);
  bytes.writeBigUInt64BE(BigInt(bytes.length), 8);
  return bytes;
};
const open = (content: string) => {
  const bytes = Buffer.from(xml(content));
  bytes.writeUInt32BE(0, 0);
  return bytes;
};
const STREAM = box('jp2c', CODESTREAM);
const LONG_STREAM = box('jp2c', CODESTREAM, new Uint8Array(2_000_000));

it.for<[string, readonly Uint8Array[], string]>([
  ['an XML box of XMP before', [xml(XMP), xml(meta('a')), STREAM], 'a'],
  ['an XML box with another <meta> before', [xml('<html><meta name="x">y</meta></html>'), xml(meta('a')), STREAM], 'a'],
  ['two headers', [xml(meta('a')), xml(meta('b')), STREAM], 'a'],
  ['an element <meta> before that of the header', [xml(`<all><meta name="x"/>${meta('a')}<meta/></all>`), STREAM], 'a'],
  ['a UUID box of GeoJP2 before', [uuid(Uint8Array.of(0x49, 0x49, 42, 0, 0xff, 0x3c)), xml(meta('a')), STREAM], 'a'],
  ['a UUID box of XMP before', [uuid(XMP), xml(meta('a')), STREAM], 'a'],
  ['the header in a UUID box', [xml(XMP), uuid(meta('a')), STREAM], 'a'],
  [
    'the header in an association',
    [box('asoc', box('nlst', new Uint8Array(4)), xml(XMP), box('asoc', xml(meta('a')))), STREAM],
    'a',
  ],
  ['a mark of UTF-8', [xml(`\ufeff<?xml version="1.0"?>${meta('Å')}`), STREAM], 'Å'],
  ['UTF-16', [xml(utf16(`<?xml version="1.0" encoding="UTF-16"?>${meta('Å')}`)), STREAM], 'Å'],
  ['UTF-16 without a mark', [xml(utf16(meta('Å')).subarray(2)), STREAM], 'Å'],
  [
    'a declared encoding',
    [xml(Buffer.from(`<?xml version="1.0" encoding="ISO-8859-2"?>${meta('\u00b3')}`, 'latin1')), STREAM],
    'ł',
  ],
  ['an unknown encoding', [xml(Buffer.from(`<?xml encoding="klingon"?>${meta('\u00c5')}`, 'latin1')), STREAM], 'Å'],
  ['a 64-bit length', [extended('xml ', utf8(meta('a'))), STREAM], 'a'],
  ['the header behind the codestream, to the end of the file', [STREAM, open(meta('a'))], 'a'],
  ['the header behind a long codestream', [xml(XMP), LONG_STREAM, xml(meta('a'))], 'a'],
  ['a long box before', [uuid(new Uint8Array(150_000)), xml(meta('a')), LONG_STREAM], 'a'],
  ['a box longer than any header before', [uuid(new Uint8Array(1_500_000)), xml(meta('a')), LONG_STREAM], 'a'],
  ['a header of 200 kB', [xml(meta(`a${' '.repeat(200_000)}`)), LONG_STREAM], 'a'],
  ['a box of wrong length after it', [xml(meta('a')), Buffer.from('\0\0\0\x03wxyz'), xml(meta('b')), STREAM], 'a'],
  ['XMP and wrong lengths', [Buffer.from('\0\0\0\x03wxyz'), xml(`${XMP}\ufffd`), xml(meta('Å')), STREAM], 'Å'],
])('the header of a file with several boxes, %s: ingest and getJP2Header read the same', async ([, boxes, note]) => {
  const file = Buffer.concat([SIGNATURE, ...boxes]);
  const { start, end } = readBoxes(file).xml!;
  expect(parseXmlHeader(decodeXmlText(file.subarray(start, end)))?.fits.get('NOTE')).toBe(note);
  const read = vi.fn(async (_: string, at: number, length: number) => file.subarray(at, at + length));
  const header = await jp2Header({ objects: { read }, stopwatch: UNTIMED }, { key: 'jp2/a.jp2', byteLength: file.length });
  expect(header.fits.get('NOTE')).toBe(note);
  expect(read.mock.calls.length).toBeLessThanOrEqual(file.length > 65_536 ? 4 : 3);
});

const jp2 = await sampleFile({ sourceId: 10, timeMs: Date.UTC(2024, 4, 10, 12), size: 128 });

it('the layout of a file is read from its sidecar without the packet index, and refused where it is truncated', () => {
  const sidecar = encodeSidecar(indexJp2(jp2));
  const { codestreamOffset, codestreamLength, xmlOffset, xmlLength, header, fileLength, rsiz } = decodeFileLayout(sidecar);
  const file = Buffer.from(jp2);
  expect(fileLength).toBe(jp2.length);
  expect(file.readUInt32BE(codestreamOffset)).toBe(0xff4fff51);
  expect(file.readUInt16BE(codestreamOffset + codestreamLength - 2)).toBe(0xffd9);
  expect(rsiz).toBe(file.readUInt16BE(codestreamOffset + 6));
  expect(file.toString('latin1', xmlOffset, xmlOffset + xmlLength)).toMatch(/<meta>[\s\S]*<\/meta>/);
  const at = file.indexOf('jp2h') - 4;
  expect(Buffer.from(header ?? [])).toEqual(file.subarray(at, at + file.readUInt32BE(at)));
  expect(decodeSidecar(sidecar).header).toEqual(header);
  for (const length of [0, 4, 8, 40, 80]) {
    expect(() => decodeFileLayout(sidecar.subarray(0, length))).toThrow(Jp2Error);
  }
});
