import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Shown } from '../../../src/web/explorer/store/shown.ts';
import { follow, noteShown, screen, shown } from '../../../src/web/explorer/store/state.ts';

/** The state of the page at a time. */
const at = (atMs: number) => ({ view: { atMs, layers: [] }, images: [], keys: [], isNewest: false }) as unknown as Shown;

describe('the state of the page while frames move', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    noteShown(null);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has each frame on the screen, and follows five times a second', () => {
    let renders = 0;
    const end = shown.subscribe(() => {
      renders += 1;
    });
    const before = renders;
    for (let frame = 1; frame <= 30; frame++) {
      noteShown(at(frame), 'moving');
      expect(screen.value?.view.atMs).toBe(frame);
      vi.advanceTimersByTime(1000 / 30);
    }
    vi.advanceTimersByTime(200);
    end();
    expect(renders - before).toBeGreaterThanOrEqual(5);
    expect(renders - before).toBeLessThanOrEqual(6);
    expect(shown.value?.view.atMs).toBe(30);
  });

  it('is up to date at once with a picture that stays, and when the motion ends', () => {
    noteShown(at(1));
    expect(shown.value?.view.atMs).toBe(1);
    noteShown(at(2), 'moving');
    expect(shown.value?.view.atMs).toBe(1);
    follow();
    expect(shown.value?.view.atMs).toBe(2);
  });
});
