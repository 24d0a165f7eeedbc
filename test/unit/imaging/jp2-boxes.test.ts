import { expect, it } from 'vitest';
import { readBoxes } from '../../../src/imaging/jp2/boxes.ts';
import { Jp2Error } from '../../../src/imaging/jp2/errors.ts';
import { box, jp2File, SAMPLE_XML } from '../../support/jp2/jp2-file.ts';

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
