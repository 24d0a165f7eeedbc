import { expect, it } from 'vitest';
import { PLANETS } from '../../../src/sun/bodies/bodies.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const NOON = Date.UTC(2024, 5, 4, 12);
const { get, cachedKeys } = testArchive();

async function answer<T>(path: string): Promise<T> {
  const response = await get(path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

it('the operations of celestial bodies share one cached response a day for all times of a second', async () => {
  for (const time of [NOON, NOON + 999, `%20${NOON}`]) {
    expect((await get(`/v2/getSolarBodies/?time=${time}`)).headers.get('Cache-Control')).toBe('public, max-age=86400');
  }
  expect(cachedKeys().filter((key) => key.startsWith('/getSolarBodies?'))).toEqual([`/getSolarBodies?time=${NOON}`]);
  expect((await get('/v2/getSolarBodiesGlossary/')).headers.get('Cache-Control')).toBe('public, max-age=86400');
  const next = await get(`/v2/getTrajectoryTime/?observer=soho&body=mars&time=${NOON}&direction=next`);
  expect(next.headers.get('Cache-Control')).toBe('public, max-age=86400');
});

it('getSolarBodiesGlossary lists the planets in the view of SOHO, all with trajectories', async () => {
  const planets = ['mercury', 'venus', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'];
  const expected = { version: 3, observers: { soho: planets }, enabledTrajectories: planets, mods: {} };
  expect(await answer('/v2/getSolarBodiesGlossary/')).toEqual(expected);
});

it('getSolarBodies places a label on the point of the trajectory of its time, and has null and an empty list outside of the view', async () => {
  type Bodies = Record<'labels' | 'trajectories', { readonly soho: Record<string, object | null> }>;
  const bodies = await answer<Bodies>(`/v2/getSolarBodies/?time=${NOON}`);
  expect(bodies.labels.soho.venus).toEqual({
    x: 174.067,
    y: -214.846,
    distance_observer_to_body_au: 1.725133,
    distance_sun_to_observer_au: 1.004413,
    distance_sun_to_body_au: 0.720722,
    behind_plane_of_sun: 'True',
  });
  expect([bodies.labels.soho.mars, bodies.trajectories.soho.mars]).toEqual([null, []]);
  const [at, point] = Object.entries(bodies.trajectories.soho.venus!)[7]!;
  const there = await answer<Bodies>(`/v2/getSolarBodies/?time=${at}`);
  expect([there.labels.soho.venus, there.trajectories.soho.venus]).toEqual([point, bodies.trajectories.soho.venus]);
  const before = await answer<Bodies>(`/v2/getSolarBodies/?time=${Date.UTC(2023, 7, 13, 11)}`);
  expect(before.labels.soho.venus).toMatchObject({ behind_plane_of_sun: 'False' });
});

it('getSolarBodies returns valid positions at the first and the last time', async () => {
  for (const time of [-2208988800000, 4102444800000]) {
    const { labels, trajectories } = await answer<{
      labels: { soho: Record<string, { x: number; y: number } | null> };
      trajectories: { soho: Record<string, object> };
    }>(`/v2/getSolarBodies/?time=${time}`);
    const seen = Object.entries(labels.soho).filter(([, label]) => label !== null);
    for (const [body, label] of seen) {
      expect(Math.hypot(label!.x, label!.y)).toBeLessThan(43_300);
      expect(Object.keys(trajectories.soho[body]!).length).toBeGreaterThan(1);
    }
    expect(Object.keys(labels.soho)).toHaveLength(7);
  }
});

it('getSolarBodies returns the view of the Earth on request', async () => {
  const both = await answer<{ labels: Record<string, Record<string, { x: number }>>; places: Record<string, object> }>(
    `/v2/getSolarBodies/?time=${NOON}&observers=earth,SOHO`,
  );
  expect(Object.keys(both.labels).sort()).toEqual(['earth', 'soho']);
  expect(both.labels.earth!.venus).toMatchObject({ distance_sun_to_observer_au: 1.014559, behind_plane_of_sun: 'True' });
  expect(both.labels.earth!.venus!.x).not.toBe(both.labels.soho!.venus!.x);
  // Planets alone, because no orbits are imported.
  expect(Object.keys(both.places)).toEqual(PLANETS);
  // B0 of 4 June 2024, and the distance of the Earth.
  expect(both.places.earth).toEqual({ longitude: 0, latitude: -0.2172, distance_au: 1.014559 });
  expect(await answered(get(`/v2/getSolarBodies/?time=${NOON}&observers=moon`))).toMatchObject([400, { parameter: 'observers' }]);
});

it.each(['observer=soho&body=psp', 'observer=soho&body=earth', 'observer=stereo_a&body=venus', 'observer=moon&body=toString'])(
  'getTrajectoryTime returns null for %s, which has no orbit here',
  async (pair) => {
    expect(await answer(`/v2/getTrajectoryTime/?${pair}&time=${NOON}&direction=next`)).toEqual({ time: null });
  },
);

it('getTrajectoryTime returns null beyond the times that are computed', async () => {
  const url = (time: number, direction: string) =>
    `/v2/getTrajectoryTime/?observer=soho&body=neptune&time=${time}&direction=${direction}`;
  expect(await answer(url(4102444800000, 'next'))).toEqual({ time: null });
  expect(await answer(url(-2208988800000, 'last'))).toEqual({ time: null });
  expect(await answer(url(4102444800000, 'last'))).not.toEqual({ time: null });
  expect(await answer(url(-2208988800000, 'next'))).not.toEqual({ time: null });
});
