import { expect, it } from 'vitest';
import { parseRegion, parseRotation, parseSize, regionOf, sizeOf } from '../../../src/picture/image-part.ts';
import { Failure } from '../../../src/platform/util/errors.ts';

const IMAGE = { width: 1000, height: 600 };
const region = (text: string) => {
  const { left, top, width, height } = regionOf(parseRegion(text), IMAGE);
  return [left, top, width, height];
};
const size = (text: string, of = IMAGE) => {
  const { width, height } = sizeOf(parseSize(text), of);
  return [width, height];
};
const kindOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error.kind;
  }
  return 'none';
};

it.each([
  ['full', [0, 0, 1000, 600]],
  ['square', [200, 0, 600, 600]],
  ['10,20,30,40', [10, 20, 30, 40]],
  ['990,590,512,512', [990, 590, 10, 10]],
  ['pct:10,50,20,25.5', [100, 300, 200, 153]],
  ['pct:99.99,0,0.001,100', [999, 0, 1, 600]],
  ['pct:50,50,100,100', [500, 300, 500, 300]],
])('the region of a IIIF request: %s is %j', (text, box) => {
  expect(region(text)).toEqual(box);
});

it.each('|Full|1,2,3|1,2,3,4,5|-1,0,5,5|0,0,0,5|0,0,5,0|1000,0,5,5|pct:100,0,5,5|1.5,0,5,5|pct:a,0,1,1'.split('|'))(
  'the region of a IIIF request: %j is a bad parameter',
  (text) => {
    expect(kindOf(() => region(text))).toBe('bad-parameter');
  },
);

it.each([
  ['max', [1000, 600]],
  ['^max', [4096, 2458]],
  ['500,', [500, 300]],
  [',300', [500, 300]],
  ['100,400', [100, 400]],
  ['pct:50', [500, 300]],
  ['pct:0.01', [1, 1]],
  ['!500,500', [500, 300]],
  ['!100,600', [100, 60]],
  // As large as possible, but not larger than the region.
  ['!2000,3000', [1000, 600]],
  ['^!2000,3000', [2000, 1200]],
  ['^2000,', [2000, 1200]],
  ['^pct:200', [2000, 1200]],
  ['^1200,300', [1200, 300]],
])('the size of a IIIF request: %s is %j', (text, sides) => {
  expect(size(text)).toEqual(sides);
});

it('the size of a IIIF request stays within 4096 a side', () => {
  expect(size('max', { width: 8192, height: 100 })).toEqual([4096, 50]);
  expect(kindOf(() => size('5000,', { width: 8192, height: 100 }))).toBe('bad-parameter');
  expect(kindOf(() => size('^5000,'))).toBe('bad-parameter');
});

it.each('|full|,|0,|,0|!,|!5,|pct:0|pct:101|1001,|,601|1001,1|1,601|^|5|1e3,|!0,5|^^max'.split('|'))(
  'the size of a IIIF request: %j is a bad parameter',
  (text) => {
    expect(kindOf(() => size(text))).toBe('bad-parameter');
  },
);

it('a rotation is by quarter turns, and mirrored', () => {
  expect(['0', '90', '!180', '270.0', '360'].map(parseRotation)).toEqual([
    { isMirrored: false, quarterTurns: 0 },
    { isMirrored: false, quarterTurns: 1 },
    { isMirrored: true, quarterTurns: 2 },
    { isMirrored: false, quarterTurns: 3 },
    { isMirrored: false, quarterTurns: 0 },
  ]);
  expect(['45', '!22.5'].map((text) => kindOf(() => parseRotation(text)))).toEqual(['not-implemented', 'not-implemented']);
  for (const text of ['', '-90', '361', '!!90', 'x', '1e2'])
    expect(
      kindOf(() => parseRotation(text)),
      text,
    ).toBe('bad-parameter');
});
