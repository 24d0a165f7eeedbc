import { describe, expect, it } from 'vitest';
import { BODY_TIMES } from '../../../src/config/limits/bodies.ts';
import {
  inView,
  lastPassageEnd,
  nextPassageStart,
  type Passage,
  passageAt,
  trajectory,
} from '../../../src/domain/bodies/passages.ts';
import { Sky } from '../../../src/domain/bodies/sky.ts';
import type { Sight } from '../../../src/domain/bodies/view.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/util/durations.ts';

const sky = new Sky();
const bodies = sky.bodiesOf('soho');
const sightOf = (body: string): Sight => sky.sight('soho', body)!;
const [FROM, TO] = [Date.UTC(2015, 0, 1), Date.UTC(2020, 0, 1)];

/** All passages that begin from 2015 to 2019, by going from one to the next. */
function passages(sight: Sight): Passage[] {
  const found: Passage[] = [];
  for (let at = nextPassageStart(sight, FROM, BODY_TIMES)!; at < TO; at = nextPassageStart(sight, at, BODY_TIMES)!) {
    found.push(passageAt(sight, at, BODY_TIMES)!);
  }
  return found;
}

describe.each(bodies)('the passages of %s', (body) => {
  const sight = sightOf(body);
  const found = passages(sight);

  it('are all that samples of every half day show', () => {
    let entries = 0;
    for (let at = FROM + DAY_MS / 2; at < TO; at += DAY_MS / 2) {
      if (inView(sight, at) && !inView(sight, at - DAY_MS / 2)) entries += 1;
    }
    expect(found).toHaveLength(entries);
    expect(entries).toBeGreaterThan(1);
  });

  it('begin and end at the second at which the body crosses 12 degrees', () => {
    for (const { startMs, endMs } of found.slice(0, 6)) {
      expect(startMs % SECOND_MS).toBe(0);
      expect(endMs % SECOND_MS).toBe(0);
      expect(inView(sight, startMs)).not.toBeNull();
      expect(inView(sight, startMs - SECOND_MS)).toBeNull();
      expect(inView(sight, endMs)).not.toBeNull();
      expect(inView(sight, endMs + SECOND_MS)).toBeNull();
    }
  });

  it('are the same from every time within, and lead to each other', () => {
    const [before, passage, after] = found as [Passage, Passage, Passage | undefined];
    for (const part of [0, 0.3, 0.77, 1]) {
      const at = Math.round((passage.startMs + part * (passage.endMs - passage.startMs)) / SECOND_MS) * SECOND_MS;
      expect(passageAt(sight, at, BODY_TIMES)).toEqual(passage);
      expect(lastPassageEnd(sight, at, BODY_TIMES)).toBe(before.endMs);
      if (after) expect(nextPassageStart(sight, at, BODY_TIMES)).toBe(after.startMs);
    }
    const between = Math.round((before.endMs + passage.startMs) / 2 / SECOND_MS) * SECOND_MS;
    expect(passageAt(sight, between, BODY_TIMES)).toBeNull();
    expect(nextPassageStart(sight, between, BODY_TIMES)).toBe(passage.startMs);
    expect(lastPassageEnd(sight, between, BODY_TIMES)).toBe(before.endMs);
  });
});

describe('passages at the bounds', () => {
  it('end there, and none is beyond', () => {
    const sight = sightOf('venus');
    const middle = Date.UTC(2024, 5, 4, 12);
    const bounds = { firstMs: middle - 5 * DAY_MS, lastMs: middle + 5 * DAY_MS };
    expect(passageAt(sight, middle, bounds)).toEqual({ startMs: bounds.firstMs, endMs: bounds.lastMs });
    expect(nextPassageStart(sight, middle, bounds)).toBeNull();
    expect(lastPassageEnd(sight, middle, bounds)).toBeNull();
    expect(nextPassageStart(sight, bounds.lastMs + DAY_MS, bounds)).toBeNull();
    expect(lastPassageEnd(sight, bounds.firstMs - DAY_MS, bounds)).toBeNull();
    expect(nextPassageStart(sight, bounds.firstMs - DAY_MS, bounds)).toBe(bounds.firstMs);
    expect(lastPassageEnd(sight, bounds.lastMs + DAY_MS, bounds)).toBe(bounds.lastMs);
    expect(passageAt(sight, bounds.lastMs + SECOND_MS, bounds)).toBeNull();
  });

  it('are absent where two orbits have no time in common', () => {
    const venus = sightOf('venus');
    const sight = { ...venus, body: { ...venus.body, firstMs: 1, lastMs: 0 } };
    expect(nextPassageStart(sight, 0, BODY_TIMES)).toBeNull();
    expect(lastPassageEnd(sight, 0, BODY_TIMES)).toBeNull();
  });
});

describe('a trajectory', () => {
  const sight = sightOf('mars');
  const passage = passageAt(sight, Date.UTC(2023, 10, 18), BODY_TIMES)!;

  it('goes from the start of the passage to its end in steps of a day', () => {
    const times = trajectory(sight, passage, { cadenceMs: DAY_MS, maxPoints: 400 }).map(([at]) => at);
    expect(times[0]).toBe(passage.startMs);
    expect(times.at(-1)).toBe(passage.endMs);
    expect(times).toHaveLength(Math.ceil((passage.endMs - passage.startMs) / DAY_MS) + 1);
    const steps = times.slice(1, -1).map((at, i) => at - times[i]!);
    expect(new Set(steps)).toEqual(new Set([DAY_MS]));
  });

  it('has wider steps in place of more points than allowed', () => {
    const points = trajectory(sight, passage, { cadenceMs: HOUR_MS, maxPoints: 60 });
    expect(points.length).toBeLessThanOrEqual(60);
    expect(points.length).toBeGreaterThan(28);
    expect(points[1]![0] - points[0]![0]).toBe(64 * HOUR_MS);
  });

  it('is a continuous path through the centre of the view', () => {
    const points = trajectory(sight, passage, { cadenceMs: DAY_MS, maxPoints: 400 }).map(([, view]) => view);
    expect(points[0]!.elongationDegrees).toBeCloseTo(12, 4);
    expect(Math.min(...points.map((view) => view.elongationDegrees))).toBeLessThan(0.3);
    const moves = points.slice(1).map(({ x, y }, i) => Math.hypot(x - points[i]!.x, y - points[i]!.y));
    expect(Math.max(...moves)).toBeLessThan(1500);
  });
});

describe('a search for passages', () => {
  /** A sight that counts the positions that are computed of its body. */
  function counted(sight: Sight): { readonly sight: Sight; count(): number } {
    let positions = 0;
    const positionAt = (atMs: number) => {
      positions += 1;
      return sight.body.positionAt(atMs);
    };
    return { sight: { ...sight, body: { ...sight.body, positionAt } }, count: () => positions };
  }

  it.each(bodies)('takes less than 500 positions of %s, two for each view', (body) => {
    for (let i = 0; i < 20; i++) {
      const at = FROM + i * 90 * DAY_MS;
      for (const find of [nextPassageStart, lastPassageEnd, passageAt]) {
        const { sight, count } = counted(sightOf(body));
        find(sight, at, BODY_TIMES);
        expect(count()).toBeLessThan(500);
      }
    }
  });

  it('gives up on a body that stays beside the limit', () => {
    const observer = sightOf('venus').observer;
    const angle = (12.1 * Math.PI) / 180;
    // One au away, 12.1 degrees beside the Sun, within the plane of the axes x and y.
    const positionAt = (atMs: number) => {
      const [x, y, z] = observer.positionAt(atMs)!;
      const length = Math.hypot(x, y, z);
      const [a, b] = [-x / length, -y / length];
      const c = -z / length;
      const across = Math.hypot(a, b);
      return [
        x + Math.cos(angle) * a - (Math.sin(angle) * b) / across,
        y + Math.cos(angle) * b + (Math.sin(angle) * a) / across,
        z + Math.cos(angle) * c,
      ] as const;
    };
    const companion = { ...sightOf('venus').body, positionAt };
    const { sight, count } = counted({ observer, body: companion });
    expect(nextPassageStart(sight, FROM, BODY_TIMES)).toBeNull();
    expect(count()).toBeLessThan(5000);
  });
});
