import { expect, it } from 'vitest';
import { metadataSources } from '../../../src/jp2/jpip/metadata-bin.ts';
import { jpxLayout } from '../../../src/jp2/jpx/layout.ts';
import { box, jp2File } from '../../support/jp2/jp2-file.ts';
import { frameOf, layoutBytes, sourceBytes } from '../../support/jpx/jpx-bytes.ts';

const stream = (name: string) =>
  Buffer.concat([Buffer.from('ff4fff5100290000', 'hex'), Buffer.from(name), Buffer.from('ffd9', 'hex')]);
const grey = box('jp2h', box('ihdr', new Uint8Array(14)), box('colr', Uint8Array.of(1, 0, 0, 0, 0, 0, 17)));
const files = new Map<string, Uint8Array>([
  ['a.jp2', jp2File(stream('one'), '<meta>first</meta>')],
  ['b.jp2', jp2File(stream('another'), '<meta>second, with jp2c and ftbl in it</meta>')],
  ['c.jp2', Buffer.concat([grey, box('jp2c', stream('of another kind, without XML'))])],
]);

/** Metadata-bin 0 of a file, computed box by box from the whole file. */
function withPlaceholders(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  let n = 0;
  for (let at = 0; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const whole = file.subarray(at, at + length);
    const original = whole.toString('hex', 0, 8);
    const number = (n % 16).toString(16).padStart(16, '0');
    const isCodestream = ['jp2c', 'ftbl'].includes(whole.toString('latin1', 4, 8));
    const hex = `0000003470686c6400000004${'00'.repeat(8)}${original}${'00'.repeat(16)}${number}`;
    parts.push(isCodestream ? Buffer.from(hex, 'hex') : whole);
    if (isCodestream) n++;
    at += length;
  }
  expect(n).toBe(files.size);
  return Buffer.concat(parts);
}

it.each([
  { linked: false, style: 'standard' },
  { linked: true, style: 'standard' },
  { linked: false, style: '2016' },
  { linked: true, style: '2016' },
] as const)(
  'metadata-bin 0 of a JPX file ($style, linked: $linked) is the file with a placeholder for each codestream',
  (form) => {
    const layout = jpxLayout(
      [...files].map(([key, file]) => frameOf(key, file)),
      form,
    );
    const expected = withPlaceholders(layoutBytes(layout, files));
    expect(sourceBytes(metadataSources(layout.sources), files).equals(expected)).toBe(true);
  },
);
