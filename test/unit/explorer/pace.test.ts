// The pixels of moving pictures by the time that drawings take.
import { expect, it } from 'vitest';
import { Pace } from '../../../src/explorer/motion/pace.ts';

const after = (pace: Pace, times: readonly number[]): number => {
  for (const ms of times) pace.took(ms);
  return pace.density;
};
const five = (ms: number) => Array.from({ length: 5 }, () => ms);

it('a moving picture keeps all pixels while drawings take up to a thirtieth of a second, and with two slow ones among three fast ones', () => {
  expect(after(new Pace(), [...five(16.7), ...five(33)])).toBe(1);
  expect(after(new Pace(), [16, 200, 16, 300, 16])).toBe(1);
});

it('a moving picture lowers its pixels to seven eighths of the width of the screen, no further, and begins at all again after a reset', () => {
  const pace = new Pace();
  expect([after(pace, five(54)), after(pace, five(40)), after(pace, five(40))]).toEqual([7 / 8, 7 / 8, 7 / 8]);
  pace.reset();
  expect(pace.density).toBe(1);
});
