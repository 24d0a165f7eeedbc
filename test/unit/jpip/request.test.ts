import { expect, it } from 'vitest';
import { isJpipQuery, type JpipRequest, parseJpipRequest } from '../../../src/jp2/jpip/request.ts';

const EMPTY: JpipRequest = {
  cnew: false,
  cid: null,
  cclose: [],
  metadata: 'unspecified',
  streams: [],
  frameSize: null,
  regionOffset: { x: 0, y: 0 },
  regionSize: null,
  layers: null,
  length: null,
  model: [],
  requestId: null,
  target: null,
};

it.each<[string, Partial<JpipRequest>]>([
  ['?cnew=http&type=jpp-stream&tid=0&len=512', { cnew: true, length: 512 }],
  [
    '?stream=0&metareq=[*]!!&len=2000000&cid=X',
    { streams: [{ from: 0, to: 0, step: 1 }], metadata: 'only', length: 2_000_000, cid: 'X' },
  ],
  [
    '?stream=3&fsiz=512,512,closest&rsiz=512,512&roff=0,0&len=2097152&cid=a-1_B',
    {
      streams: [{ from: 3, to: 3, step: 1 }],
      frameSize: { width: 512, height: 512, rounding: 'closest' },
      regionSize: { width: 512, height: 512 },
      length: 2_097_152,
      cid: 'a-1_B',
    },
  ],
  ['?cclose=X&len=0', { cclose: ['X'], length: 0 }],
  ['?cid=X&cclose=*', { cid: 'X', cclose: ['*'] }],
  ['?context=jpxl<2-5>&layers=8', { streams: [{ from: 2, to: 5, step: 1 }], layers: 8 }],
  ['?context=jpxl%3C2-%3E', { streams: [{ from: 2, to: null, step: 1 }] }],
  [
    '?stream=0,4-9:2&fsiz=1,1',
    {
      streams: [
        { from: 0, to: 0, step: 1 },
        { from: 4, to: 9, step: 2 },
      ],
      frameSize: { width: 1, height: 1, rounding: 'round-down' },
    },
  ],
  ['?metareq=%5Bxml_;asoc%5DR', { metadata: 'requested' }],
  ['?cid=X&qid=7', { cid: 'X', requestId: 7 }],
  ['?need=M1&need=%FF&wait=yes&quality=80&fsiz=2,3,round-up', { frameSize: { width: 2, height: 3, rounding: 'round-up' } }],
])('a request of a desktop or browser client is parsed: %s', (query, expected) => {
  expect(isJpipQuery(query) && parseJpipRequest(query)).toEqual({ ...EMPTY, ...expected });
});

it.each([
  ['fsiz', 'fsiz='],
  ['fsiz', 'fsiz=0,5'],
  ['fsiz', 'fsiz=5'],
  ['fsiz', 'fsiz=5,5,nearest'],
  ['fsiz', 'fsiz=5,5,closest,closest'],
  ['fsiz', 'fsiz=99999999999,5'],
  ['roff', 'roff=-1,0'],
  ['rsiz', 'rsiz=0,1'],
  ['rsiz', 'rsiz=1,1,1'],
  ['stream', 'stream=1-0'],
  ['stream', 'stream=one'],
  ['stream', `stream=${'0,'.repeat(4096)}0`],
  ['context', 'context=mj2t<0>'],
  ['context', 'context=jpxl<0'],
  ['metareq', 'metareq=*'],
  ['metareq', 'metareq=[[]]'],
  ['layers', 'fsiz=1,1&layers=few'],
  ['len', 'cnew=http&len=-1'],
  ['cid', 'cid=a%20b'],
  ['cid', `cid=${'a'.repeat(65)}`],
  ['cclose', 'cclose=a,b,,c'],
  ['cnew', 'cnew=http-tcp'],
  ['type', 'cnew=http&type=jpt-stream'],
  ['stream', 'stream=1&stream=2'],
  ['qid', 'cid=a&qid=-1'],
  ['model', 'fsiz=1,1&model='],
  ['model', 'fsiz=1,1&model=Hm&model=M0'],
  ['target', 'cid=a&target=%E0%A4%A'],
])('the error names the malformed field: %s in %s', (parameter, query) => {
  expect(() => parseJpipRequest(query)).toThrow(expect.objectContaining({ kind: 'bad-parameter', parameter }));
});

it('a query without a JPIP field is not a JPIP request', () => {
  expect(isJpipQuery('?len=5&layers=2&type=jpx')).toBe(false);
  expect(isJpipQuery('')).toBe(false);
});
