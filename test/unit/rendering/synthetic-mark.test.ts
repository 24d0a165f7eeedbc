import { expect, it } from 'vitest';
import { isSynthetic } from '../../../src/sun/synthetic.ts';

it.each([
  ['helioedge sample (synthetic)', true],
  ['SDO/JSOC-SDP', false],
  ['synthetic aperture laboratory', false],
])('the statement of a header: ORIGIN = %s: %s', (origin, states) => {
  expect(isSynthetic(new Map([['ORIGIN', origin]]))).toBe(states);
});

it('the statement of a header: an image without ORIGIN has no mark of a synthetic one', () => {
  expect(isSynthetic(new Map())).toBe(false);
});
