import { expect, it } from 'vitest';
import { Cooldown } from '../../../src/platform/util/retry.ts';

it('Cooldown lasts from its start until its time is over', () => {
  let nowMs = 0;
  const cooldown = new Cooldown(() => nowMs);
  expect(cooldown.isActive).toBe(false);
  cooldown.start(100);
  nowMs = 99;
  expect(cooldown.isActive).toBe(true);
  nowMs = 100;
  expect(cooldown.isActive).toBe(false);
});

it('Cooldown ends early on request', () => {
  const cooldown = new Cooldown(() => 0);
  cooldown.start(100);
  cooldown.end();
  expect(cooldown.isActive).toBe(false);
});
