import { describe, expect, it, vi } from 'vitest';
import { BODY_TIMES } from '../../../src/platform/limits/bodies.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import type { Conjunction } from '../../../src/sun/bodies/conjunctions.ts';
import { adjacentConjunctionMs, conjunctionAt, inView, trajectory } from '../../../src/sun/bodies/conjunctions.ts';
import { solarSystemOf } from '../../../src/sun/bodies/solar-system.ts';
import type { LineOfSight } from '../../../src/sun/bodies/view.ts';

const solarSystem = solarSystemOf();
const bodies = solarSystem.bodiesOf('soho');
const lineTo = (body: string): LineOfSight => solarSystem.lineOfSight('soho', body)!;
const [FROM, TO] = [Date.UTC(2015, 0, 1), Date.UTC(2020, 0, 1)];

/** All conjunctions that begin from 2015 to 2019, by going from one to the next. */
function conjunctions(line: LineOfSight): Conjunction[] {
  const found: Conjunction[] = [];
  for (
    let at = adjacentConjunctionMs(line, FROM, BODY_TIMES, 1)!;
    at < TO;
    at = adjacentConjunctionMs(line, at, BODY_TIMES, 1)!
  ) {
    found.push(conjunctionAt(line, at, BODY_TIMES)!);
  }
  return found;
}

describe.each(bodies)('the conjunctions of %s', (body) => {
  const line = lineTo(body);
  const found = conjunctions(line);

  it('agree with samples of every half day', () => {
    let entries = 0;
    for (let at = FROM + DAY_MS / 2; at < TO; at += DAY_MS / 2) {
      if (inView(line, at) && !inView(line, at - DAY_MS / 2)) entries += 1;
    }
    expect(found).toHaveLength(entries);
    expect(entries).toBeGreaterThan(1);
  });

  it('begin and end at the second at which the body crosses 12 degrees', () => {
    for (const { startMs, endMs } of found.slice(0, 6)) {
      expect(startMs % SECOND_MS).toBe(0);
      expect(endMs % SECOND_MS).toBe(0);
      expect(inView(line, startMs)).not.toBeNull();
      expect(inView(line, startMs - SECOND_MS)).toBeNull();
      expect(inView(line, endMs)).not.toBeNull();
      expect(inView(line, endMs + SECOND_MS)).toBeNull();
    }
  });

  it('stay the same for every time within them, and lead to each other', () => {
    const [before, conjunction, after] = found as [Conjunction, Conjunction, Conjunction | undefined];
    for (const part of [0, 0.3, 0.77, 1]) {
      const at = Math.round((conjunction.startMs + part * (conjunction.endMs - conjunction.startMs)) / SECOND_MS) * SECOND_MS;
      expect(conjunctionAt(line, at, BODY_TIMES)).toEqual(conjunction);
      expect(adjacentConjunctionMs(line, at, BODY_TIMES, -1)).toBe(before.endMs);
      if (after) expect(adjacentConjunctionMs(line, at, BODY_TIMES, 1)).toBe(after.startMs);
    }
    const between = Math.round((before.endMs + conjunction.startMs) / 2 / SECOND_MS) * SECOND_MS;
    expect(conjunctionAt(line, between, BODY_TIMES)).toBeNull();
    expect(adjacentConjunctionMs(line, between, BODY_TIMES, 1)).toBe(conjunction.startMs);
    expect(adjacentConjunctionMs(line, between, BODY_TIMES, -1)).toBe(before.endMs);
  });
});

it('conjunctions at the bounds end at the bounds, and none lies beyond them', () => {
  const line = lineTo('venus');
  const middle = Date.UTC(2024, 5, 4, 12);
  const bounds = { firstMs: middle - 5 * DAY_MS, lastMs: middle + 5 * DAY_MS };
  expect(conjunctionAt(line, middle, bounds)).toEqual({ startMs: bounds.firstMs, endMs: bounds.lastMs });
  expect(adjacentConjunctionMs(line, middle, bounds, 1)).toBeNull();
  expect(adjacentConjunctionMs(line, middle, bounds, -1)).toBeNull();
  expect(adjacentConjunctionMs(line, bounds.lastMs + DAY_MS, bounds, 1)).toBeNull();
  expect(adjacentConjunctionMs(line, bounds.firstMs - DAY_MS, bounds, -1)).toBeNull();
  expect(adjacentConjunctionMs(line, bounds.firstMs - DAY_MS, bounds, 1)).toBe(bounds.firstMs);
  expect(adjacentConjunctionMs(line, bounds.lastMs + DAY_MS, bounds, -1)).toBe(bounds.lastMs);
  expect(conjunctionAt(line, bounds.lastMs + SECOND_MS, bounds)).toBeNull();
});

it('conjunctions at the bounds do not exist where two orbits have no time in common', () => {
  const venus = lineTo('venus');
  const line = { ...venus, body: { ...venus.body, firstMs: 1, lastMs: 0 } };
  expect(adjacentConjunctionMs(line, 0, BODY_TIMES, 1)).toBeNull();
  expect(adjacentConjunctionMs(line, 0, BODY_TIMES, -1)).toBeNull();
});

const line = lineTo('mars');
const conjunction = conjunctionAt(line, Date.UTC(2023, 10, 18), BODY_TIMES)!;

it('a trajectory goes from the start of the conjunction to its end in steps of a day, or longer ones for fewer points', () => {
  const times = trajectory(line, conjunction, { cadenceMs: DAY_MS, maxPoints: 400 }).map(([at]) => at);
  expect(times[0]).toBe(conjunction.startMs);
  expect(times.at(-1)).toBe(conjunction.endMs);
  expect(times).toHaveLength(Math.ceil((conjunction.endMs - conjunction.startMs) / DAY_MS) + 1);
  const steps = times.slice(1, -1).map((at, i) => at - times[i]!);
  expect(new Set(steps)).toEqual(new Set([DAY_MS]));
  const points = trajectory(line, conjunction, { cadenceMs: HOUR_MS, maxPoints: 60 });
  expect(points.length).toBeLessThanOrEqual(60);
  expect(points.length).toBeGreaterThan(28);
  expect(points[1]![0] - points[0]![0]).toBe(64 * HOUR_MS);
});

it('a trajectory follows a continuous path through the centre of the view', () => {
  const points = trajectory(line, conjunction, { cadenceMs: DAY_MS, maxPoints: 400 }).map(([, view]) => view);
  expect(points[0]!.elongationDegrees).toBeCloseTo(12, 4);
  expect(Math.min(...points.map((view) => view.elongationDegrees))).toBeLessThan(0.3);
  const moves = points.slice(1).map(({ x, y }, i) => Math.hypot(x - points[i]!.x, y - points[i]!.y));
  expect(Math.max(...moves)).toBeLessThan(1500);
});

/** A line that counts the positions that are computed of its body. */
function counted(line: LineOfSight) {
  const positionAt = vi.fn((atMs: number) => line.body.positionAt(atMs));
  return { line: { ...line, body: { ...line.body, positionAt } }, count: () => positionAt.mock.calls.length };
}

it.each(bodies)('a search for conjunctions takes less than 500 positions of %s, two for each view', (body) => {
  for (let i = 0; i < 20; i++) {
    const at = FROM + i * 90 * DAY_MS;
    for (const direction of [1, -1, null] as const) {
      const { line, count } = counted(lineTo(body));
      if (direction) adjacentConjunctionMs(line, at, BODY_TIMES, direction);
      else conjunctionAt(line, at, BODY_TIMES);
      expect(count()).toBeLessThan(500);
    }
  }
});

it('a search for conjunctions gives up on a body that stays beside the limit', () => {
  const observer = lineTo('venus').observer;
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
  const companion = { ...lineTo('venus').body, positionAt };
  const { line, count } = counted({ observer, body: companion });
  expect(adjacentConjunctionMs(line, FROM, BODY_TIMES, 1)).toBeNull();
  expect(count()).toBeLessThan(5000);
});
