// getSolarBodiesGlossary, getSolarBodies and getTrajectoryTime: planets and probes near the Sun as an observer sees it.
import { z } from '@hono/zod-openapi';
import { choice, choiceList, integer, jsonBody, name, named, number } from '../../platform/http/parameters.ts';
import { jsonReply, SETTLED } from '../../platform/http/response.ts';
import { BODY_TIMES } from '../../platform/limits/bodies.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { SPACECRAFT_FACTS } from '../../sun/bodies/bodies.ts';
import { adjacentConjunctionMs, inView } from '../../sun/bodies/conjunctions.ts';
import { OBSERVERS, type ObserverName, type SolarSystem } from '../../sun/bodies/solar-system.ts';
import type { BodyView, LineOfSight } from '../../sun/bodies/view.ts';
import type { Viewpoint } from '../../sun/coordinates/sphere.ts';
import { operation } from '../services.ts';

/** Version of the glossary. Another number resets the selected bodies of the users of the web client. */
const GLOSSARY_VERSION = 3;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Fields of a position. The web client compares `behind_plane_of_sun` with the texts True and False. */
function positionRecord({ x, y, distanceAu, observerAu, bodyAu, isBehind, speedKmPerS }: BodyView) {
  return {
    x: rounded(x, 3),
    y: rounded(y, 3),
    distance_observer_to_body_au: rounded(distanceAu, 6),
    distance_sun_to_observer_au: rounded(observerAu, 6),
    distance_sun_to_body_au: rounded(bodyAu, 6),
    behind_plane_of_sun: isBehind ? ('True' as const) : ('False' as const),
    ...(speedKmPerS === null ? {} : { speedkms: rounded(speedKmPerS, 2) }),
  };
}

/** Positions by milliseconds since 1970, ascending. The web client looks for a length of 0 where the body is not in view: `[]`. */
function trajectoryRecord(points: ReturnType<SolarSystem['trajectoryAt']>) {
  if (points.length === 0) return [];
  return Object.fromEntries(points.map(([pointMs, view]) => [String(pointMs), positionRecord(view)]));
}

const METRICS = { speedkms: { title: 'Speed', unit: 'km/s' } };

export function glossaryRecord(solarSystem: SolarSystem) {
  const probes = solarSystem.probes.map((probe) => {
    const { name, url, cadenceMs } = SPACECRAFT_FACTS[probe];
    return [probe, { name, url, arrow: true, metrics: METRICS, cadence: cadenceMs }] as const;
  });
  const observers = solarSystem.observers.map((observer) => [observer, solarSystem.bodiesOf(observer)] as const);
  return {
    version: GLOSSARY_VERSION,
    observers: Object.fromEntries(observers),
    enabledTrajectories: [...new Set(observers.flatMap(([, bodies]) => bodies))],
    mods: Object.fromEntries(probes),
  };
}

/** Where those are from whose places pictures show the Sun. */
function placesRecord(solarSystem: SolarSystem, atMs: number) {
  const places = solarSystem.viewpoints.map((name) => [name, solarSystem.viewpointOf(name, atMs)] as const);
  const record = ({ longitude, latitude, distanceAu }: Required<Viewpoint>) => ({
    longitude: rounded(longitude, 4),
    latitude: rounded(latitude, 4),
    distance_au: rounded(distanceAu, 6),
  });
  return Object.fromEntries(places.flatMap(([name, at]) => (at ? [[name, record(at)] as const] : [])));
}

/** Positions and trajectories by observer and body. A body that is not in view has the label null and the trajectory `[]`. */
export function bodiesRecord(solarSystem: SolarSystem, observers: readonly ObserverName[], atMs: number) {
  const byBody = <R>(record: (line: LineOfSight, observer: ObserverName, body: string) => R) => {
    const entriesOf = (observer: ObserverName) =>
      solarSystem.bodiesOf(observer).flatMap((body) => {
        const line = solarSystem.lineOfSight(observer, body);
        return line ? [[body, record(line, observer, body)] as const] : [];
      });
    return Object.fromEntries(observers.map((observer) => [observer, Object.fromEntries(entriesOf(observer))]));
  };
  const labels = byBody((line) => {
    const view = inView(line, atMs);
    return view && positionRecord(view);
  });
  const trajectories = byBody((_, observer, body) => trajectoryRecord(solarSystem.trajectoryAt(observer, body, atMs)));
  return { labels, trajectories, places: placesRecord(solarSystem, atMs) };
}

const au = (description: string) => number(`${description}, astronomical units.`);

const position = () =>
  named('BodyPosition', 'A body as its observer sees it.', {
    x: number('Arcseconds to the west of the centre of the Sun.'),
    y: number('Arcseconds to the north of the centre of the Sun.'),
    distance_observer_to_body_au: au('Observer to body'),
    distance_sun_to_observer_au: au('Sun to observer'),
    distance_sun_to_body_au: au('Sun to body'),
    behind_plane_of_sun: z.enum(['True', 'False']).describe('Whether the body is further away than the Sun.'),
    speedkms: number('Spacecraft: speed about the Sun, km/s.').optional(),
  });

const byObserverAndBody = <T extends z.ZodType>(value: T) => z.record(z.string(), z.record(z.string(), value));

const place = () =>
  named('ObserverPlace', 'Where a planet or spacecraft is, without light time.', {
    longitude: number('Stonyhurst longitude, degrees.'),
    latitude: number('Latitude, degrees.'),
    distance_au: au('Distance from the Sun'),
  });

const solarBodies = () =>
  named('SolarBodies', null, {
    labels: byObserverAndBody(z.union([position(), z.null()])).describe(
      'By observer and body; null for a body that is not near the Sun.',
    ),
    trajectories: byObserverAndBody(z.union([z.record(z.string(), position()), z.array(position()).max(0)])).describe(
      'By observer, body and milliseconds since 1970; an empty list for a body that is not near the Sun.',
    ),
    places: z
      .record(z.string(), place())
      .describe('By name, those with an ephemeris at the time: the observers of `projection=observer,<name>`.'),
  });

const mod = () =>
  named('SpacecraftFacts', null, {
    name: z.string(),
    url: z.string(),
    arrow: z.boolean(),
    metrics: z.record(z.string(), z.object({ title: z.string(), unit: z.string() })),
    cadence: number('Step of the trajectory, milliseconds.'),
  });

const glossary = () =>
  named('SolarBodiesGlossary', null, {
    version: z.int(),
    observers: z.record(z.string(), z.array(z.string())).describe('The bodies that each observer can see.'),
    enabledTrajectories: z.array(z.string()),
    mods: z.record(z.string(), mod()).describe('Spacecraft by name.'),
  });

const trajectoryTime = () => named('TrajectoryTime', null, { time: number('Milliseconds since 1970, or null.').nullable() });

const wholeSecond = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;

const time = (description: string) => integer(description, { min: BODY_TIMES.firstMs, max: BODY_TIMES.lastMs });

const COMMON = { tag: 'Celestial bodies', jsonp: true, edge: 'shared' } as const;

const getSolarBodiesGlossary = operation({
  ...COMMON,
  name: 'getSolarBodiesGlossary',
  summary: 'The observers, the celestial bodies that each can see, and the bodies that have trajectories.',
  description:
    'Begin here: the other two operations take observers and bodies of this list. Spacecraft appear once their orbits are imported.',
  responses: { 'application/json': jsonBody('Observers, bodies and facts of spacecraft.', glossary) },
  handle: async (_values, { services }) =>
    jsonReply<typeof glossary>(glossaryRecord(await services.stateTables.solarSystem()), { policy: SETTLED }),
});

const getSolarBodies = operation({
  ...COMMON,
  name: 'getSolarBodies',
  summary: 'Positions of planets and probes near the Sun, and their trajectories.',
  description:
    'Near means within 12 degrees, which includes the corners of LASCO C3. Positions are helioprojective, as seen by the observer, ' +
    'and corrected for light time.',
  responses: { 'application/json': jsonBody('Positions and trajectories by observer and body.', solarBodies) },
  parameters: {
    time: time('Milliseconds since 1970, UTC; a fraction of a second is dropped.'),
    observers: choiceList('Observers; those of the glossary when absent.', OBSERVERS).optional(),
  },
  canonical: (values) => ({ time: wholeSecond(values.time), observers: values.observers }),
  handle: async ({ time: atMs, observers }, { services }) => {
    const solarSystem = await services.stateTables.solarSystem();
    const bodies = bodiesRecord(solarSystem, observers ?? solarSystem.observers, atMs);
    return jsonReply<typeof solarBodies>(bodies, { policy: SETTLED });
  },
});

const getTrajectoryTime = operation({
  ...COMMON,
  name: 'getTrajectoryTime',
  summary: 'The start of the next conjunction of a body near the Sun, or the end of the last one.',
  description: 'For steps from one conjunction to the next. Times are those from 1900 to 2099.',
  responses: { 'application/json': jsonBody('The time; null without such a conjunction.', trajectoryTime) },
  parameters: {
    observer: name('An observer of the glossary; others have no conjunctions.'),
    body: name('A body of that observer; others have no conjunctions.'),
    time: time('Milliseconds since 1970, UTC. A conjunction at this time is neither the next nor the last.'),
    direction: choice('Towards later or earlier times.', ['next', 'last']),
  },
  canonical: (values) => ({ ...values, time: wholeSecond(values.time) }),
  handle: async ({ observer, body, time: atMs, direction }, { services }) => {
    const line = (await services.stateTables.solarSystem()).lineOfSight(observer, body);
    const found = line && adjacentConjunctionMs(line, atMs, BODY_TIMES, direction === 'next' ? 1 : -1);
    return jsonReply<typeof trajectoryTime>({ time: found }, { policy: SETTLED });
  },
});

export const celestialBodies = [getSolarBodiesGlossary, getSolarBodies, getTrajectoryTime];
