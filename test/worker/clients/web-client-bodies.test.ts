// Celestial bodies, in the requests of the official web client (its API address ends with a slash and it adds another one).
import { describe, expect, it } from 'vitest';
import { fetchService } from '../service.ts';

interface Position {
  readonly x: number;
  readonly y: number;
  readonly distance_observer_to_body_au: number;
  readonly distance_sun_to_observer_au: number;
  readonly distance_sun_to_body_au: number;
  readonly behind_plane_of_sun: string;
  readonly speedkms?: number;
}
interface Glossary {
  readonly version: number;
  readonly observers: Readonly<Record<string, readonly string[]>>;
  readonly enabledTrajectories: readonly string[];
  readonly mods: Readonly<Record<string, unknown>>;
}
interface Bodies {
  readonly labels: Readonly<Record<string, Readonly<Record<string, Position | null>>>>;
  readonly trajectories: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Position>> | []>>>>;
}

const PLANETS = ['mercury', 'venus', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'];
const NOON = Date.UTC(2024, 5, 4, 12);

const request = (query: string, init?: RequestInit) => fetchService(`https://helioedge.test//?action=${query}`, init);

async function answer<T>(query: string): Promise<T> {
  const response = await request(query, { headers: { Origin: 'https://helioviewer.test' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  return response.json();
}

describe('getSolarBodiesGlossary of the web client', () => {
  it('lists the planets in the view of SOHO, all with trajectories', async () => {
    expect(await answer<Glossary>('getSolarBodiesGlossary')).toEqual({
      version: 3,
      observers: { soho: PLANETS },
      enabledTrajectories: PLANETS,
      mods: {},
    });
  });
});

describe('getSolarBodies of the web client', () => {
  it('places Venus behind the Sun on 2024-06-04, and has null for planets outside of the view', async () => {
    const { labels } = await answer<Bodies>(`getSolarBodies&time=${NOON}`);
    expect(Object.keys(labels.soho!)).toEqual(PLANETS);
    expect(labels.soho!.venus).toEqual({
      x: 174.067,
      y: -214.846,
      distance_observer_to_body_au: 1.725133,
      distance_sun_to_observer_au: 1.004413,
      distance_sun_to_body_au: 0.720722,
      behind_plane_of_sun: 'True',
    });
    expect(labels.soho!.mars).toBeNull();
    expect(labels.soho!.neptune).toBeNull();
  });

  it('returns trajectories under ascending milliseconds, a day apart, and the empty list without one', async () => {
    const { trajectories } = await answer<Bodies>(`getSolarBodies&time=${NOON}`);
    const { venus, mars } = trajectories.soho!;
    expect(mars).toEqual([]);
    const times = Object.keys(venus!).map(Number);
    expect(times[0]).toBeLessThan(NOON);
    expect(times.at(-1)).toBeGreaterThan(NOON);
    expect(new Set(times.slice(1, -1).map((at, i) => at - times[i]!))).toEqual(new Set([86_400_000]));
    for (const [at, point] of Object.entries(venus!)) {
      expect(at).toMatch(/^\d{13}$/);
      expect(point.behind_plane_of_sun).toBe('True');
      expect(Math.hypot(point.x, point.y)).toBeLessThanOrEqual(43_300);
    }
  });

  it('places a label on the point of the trajectory that was chosen as the time', async () => {
    const { trajectories } = await answer<Bodies>(`getSolarBodies&time=${NOON}`);
    const [at, point] = Object.entries(trajectories.soho!.venus!)[7]!;
    const there = await answer<Bodies>(`getSolarBodies&time=${at}`);
    expect(there.labels.soho!.venus).toEqual(point);
    expect(there.trajectories.soho!.venus).toEqual(trajectories.soho!.venus);
  });

  it('marks a planet before the plane of the Sun with the text False', async () => {
    const { labels } = await answer<Bodies>(`getSolarBodies&time=${Date.UTC(2023, 7, 13, 11)}`);
    expect(labels.soho!.venus!.behind_plane_of_sun).toBe('False');
    expect(labels.soho!.venus!.y).toBeLessThan(-20_000);
  });
});

describe('getTrajectoryTime of the web client', () => {
  const time = async (query: string) => (await answer<{ time: number | null }>(`getTrajectoryTime&${query}`)).time;

  it('leads to a time at which the body is in view, as the client jumps there', async () => {
    for (const body of PLANETS) {
      const next = await time(`observer=soho&body=${body}&time=${NOON}&direction=next`);
      const last = await time(`observer=soho&body=${body}&time=${NOON}&direction=last`);
      expect(next).toBeGreaterThan(NOON);
      expect(last).toBeLessThan(NOON);
      // The client adds a second to the next time, and cuts both to whole seconds.
      for (const at of [Math.floor((next! + 1000) / 1000) * 1000, Math.floor(last! / 1000) * 1000]) {
        const { labels, trajectories } = await answer<Bodies>(`getSolarBodies&time=${at}`);
        expect(labels.soho![body]).not.toBeNull();
        expect(Object.keys(trajectories.soho![body]!).length).toBeGreaterThan(5);
      }
    }
  });

  it('goes further each time, within a passage too', async () => {
    const first = await time(`observer=soho&body=venus&time=${NOON}&direction=next`);
    const second = await time(`observer=soho&body=venus&time=${first! + 1000}&direction=next`);
    expect(new Date(first!).toISOString().slice(0, 10)).toBe('2025-03-18');
    expect(second! - first!).toBeGreaterThan(200 * 86_400_000);
    const back = await time(`observer=soho&body=venus&time=${second}&direction=last`);
    expect(new Date(back!).toISOString().slice(0, 10)).toBe('2025-03-28');
  });
});
