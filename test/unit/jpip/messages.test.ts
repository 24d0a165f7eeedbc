import { expect, it } from 'vitest';
import { endOfResponse, messageHeader, startOfResponse } from '../../../src/jp2/jpip/messages.ts';

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
