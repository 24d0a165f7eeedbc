import { expect, it } from 'vitest';
import { endOfResponse, messageHead, startOfResponse } from '../../../src/imaging/jpip/messages.ts';
import { placeholder } from '../../../src/imaging/jpip/placeholder.ts';

/** The answers of a JPIP server that was measured, byte for byte. */
it('message headers are those of a server that clients know', () => {
  const context = startOfResponse();
  const head = (binClass: number, id: number, length: number, isLast = true) =>
    Buffer.from(messageHead({ binClass, codestream: 0, id, offset: 0, length, isLast }, context)).toString('hex');
  expect([head(8, 0, 14_672), head(6, 0, 129), head(2, 0, 0), head(0, 0, 5), head(0, 1, 5)]).toEqual([
    '500800f250',
    '5006008101',
    '50020000',
    '50000005',
    '310005',
  ]);
  expect([...endOfResponse(2)]).toEqual([0, 2, 0]);
});

it('a codestream is named when it is another one, and only then', () => {
  const context = startOfResponse();
  const head = (codestream: number) => [
    ...messageHead({ binClass: 0, codestream, id: 0, offset: 0, length: 1, isLast: false }, context),
  ];
  expect([head(0), head(200), head(200)]).toEqual([
    [0x20, 0, 1],
    [0x60, 0, 0x81, 0x48, 0, 1],
    [0x20, 0, 1],
  ]);
});

it('numbers of precincts that do not fit four bits take more bytes', () => {
  const head = (id: number) =>
    [...messageHead({ binClass: 0, codestream: 0, id, offset: 0, length: 1, isLast: true }, startOfResponse())].slice(0, -2);
  expect([head(15), head(16), head(2047), head(2048), head(300_000)]).toEqual([
    [0x3f],
    [0xb0, 0x10],
    [0xbf, 0x7f],
    [0xb0, 0x90, 0x00],
    [0xb0, 0x92, 0xa7, 0x60],
  ]);
});

it('a placeholder has the header that it stands for and the number of the codestream', () => {
  const header = Buffer.from('000000206674626c', 'hex');
  expect(Buffer.from(placeholder(header, 3)).toString('hex')).toBe(
    ['00000034', '70686c64', '00000004', '0000000000000000', '000000206674626c', '00'.repeat(16), '0000000000000003'].join(''),
  );
  const long = Buffer.from('000000016a7032630000000000001000', 'hex');
  const box = Buffer.from(placeholder(long, 0));
  expect([box.length, box.readUInt32BE(0), box.subarray(20, 36).toString('hex')]).toEqual([60, 60, long.toString('hex')]);
});
