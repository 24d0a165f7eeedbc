import { expect, it } from 'vitest';
import { endOfResponse, messageHeader, startOfResponse } from '../../../src/jp2/jpip/messages.ts';
import { metadataSources } from '../../../src/jp2/jpip/metadata-bin.ts';
import { jpxLayout } from '../../../src/jp2/jpx/layout.ts';
import { box, jp2File } from '../../support/jp2/jp2-file.ts';
import { frameOf, layoutBytes, sourceBytes } from '../../support/jpx/jpx-bytes.ts';

/** The bytes were recorded from a JPIP server in service. */
it('message headers equal those of a server that existing clients work with', () => {
  const context = startOfResponse();
  const head = (binClass: number, id: number, length: number, isLast = true) =>
    Buffer.from(messageHeader({ binClass, codestream: 0, id, offset: 0, length, isLast }, context)).toString('hex');
  expect([head(8, 0, 14_672), head(6, 0, 129), head(2, 0, 0), head(0, 0, 5), head(0, 1, 5)]).toEqual([
    '500800f250',
    '5006008101',
    '50020000',
    '50000005',
    '310005',
  ]);
  expect([...endOfResponse(2)]).toEqual([0, 2, 0]);
});

it('a message header states the codestream only when it changes', () => {
  const context = startOfResponse();
  const head = (codestream: number) => [
    ...messageHeader({ binClass: 0, codestream, id: 0, offset: 0, length: 1, isLast: false }, context),
  ];
  expect([head(0), head(200), head(200)]).toEqual([
    [0x20, 0, 1],
    [0x60, 0, 0x81, 0x48, 0, 1],
    [0x20, 0, 1],
  ]);
});

it('identifiers that exceed four bits take further bytes', () => {
  const head = (id: number) =>
    [...messageHeader({ binClass: 0, codestream: 0, id, offset: 0, length: 1, isLast: true }, startOfResponse())].slice(0, -2);
  expect([head(15), head(16), head(2047), head(2048), head(300_000)]).toEqual([
    [0x3f],
    [0xb0, 0x10],
    [0xbf, 0x7f],
    [0xb0, 0x90, 0x00],
    [0xb0, 0x92, 0xa7, 0x60],
  ]);
});

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
