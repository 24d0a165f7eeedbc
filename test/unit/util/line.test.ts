import { expect, it, onTestFinished, vi } from 'vitest';
import { Line } from '../../../src/platform/util/line.ts';

it('A line gives two turns at once in the order of arrival, refuses who waits too long, and ends the turn of a cancelled request.', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const line = new Line(2, 10_000);
  const entered: string[] = [];
  const enter = async (name: string, waitMs = 1_000) => {
    const leave = await line.enter(waitMs);
    if (leave) entered.push(name);
    return leave;
  };
  const leaveFirst = (await enter('a'))!;
  await enter('b');
  const waiting = [enter('c'), enter('d')];
  await vi.advanceTimersByTimeAsync(100);
  expect(entered).toEqual(['a', 'b']);
  leaveFirst();
  await vi.advanceTimersByTimeAsync(100);
  expect(entered).toEqual(['a', 'b', 'c']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([entered.length, await waiting[1]]).toEqual([3, null]);
  await vi.advanceTimersByTimeAsync(10_000);
  await Promise.all([enter('e'), enter('f')]);
  expect(entered).toEqual(['a', 'b', 'c', 'e', 'f']);
});
