// Celestial bodies in the form that the web client reads.
import { inView } from '../../domain/bodies/conjunctions.ts';
import type { ObserverName, SolarSystem } from '../../domain/bodies/solar-system.ts';
import { SPACECRAFT_FACTS } from '../../domain/bodies/spacecraft.ts';
import type { BodyView, LineOfSight } from '../../domain/bodies/view.ts';

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

function labelRecord(line: LineOfSight, atMs: number) {
  const view = inView(line, atMs);
  return view && positionRecord(view);
}

/** Positions by milliseconds since 1970, ascending. The web client looks for a length of 0 where the body is not in view: `[]`. */
function trajectoryRecord(points: ReturnType<SolarSystem['trajectoryAt']>) {
  if (points.length === 0) return [];
  return Object.fromEntries(points.map(([pointMs, view]) => [String(pointMs), positionRecord(view)]));
}

/** Names, pages and metrics of the probes, and the step of their trajectories. */
function modRecords(solarSystem: SolarSystem) {
  const entries = solarSystem.probes.map((probe) => {
    const { name, url, cadenceMs } = SPACECRAFT_FACTS[probe];
    return [
      probe,
      { name, url, arrow: true, metrics: { speedkms: { title: 'Speed', unit: 'km/s' } }, cadence: cadenceMs },
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** The observers with their bodies, and the bodies that have trajectories. `mods` describes bodies that are not planets. */
export function glossaryRecord(solarSystem: SolarSystem) {
  const observers = solarSystem.observers.map((observer) => [observer, solarSystem.bodiesOf(observer)] as const);
  return {
    version: GLOSSARY_VERSION,
    observers: Object.fromEntries(observers),
    enabledTrajectories: [...new Set(observers.flatMap(([, bodies]) => bodies))],
    mods: modRecords(solarSystem),
  };
}

/** Positions and trajectories by observer and body. A body that is not in view has the label null and the trajectory `[]`. */
export function bodiesRecord(solarSystem: SolarSystem, observers: readonly ObserverName[], atMs: number) {
  const byBody = <R>(observer: ObserverName, record: (line: LineOfSight, body: string) => R) => {
    const entries = solarSystem.bodiesOf(observer).flatMap((body) => {
      const line = solarSystem.lineOfSight(observer, body);
      return line ? [[body, record(line, body)] as const] : [];
    });
    return [observer, Object.fromEntries(entries)] as const;
  };
  const trajectoryOf = (observer: ObserverName) => (_: LineOfSight, body: string) =>
    trajectoryRecord(solarSystem.trajectoryAt(observer, body, atMs));
  return {
    labels: Object.fromEntries(observers.map((observer) => byBody(observer, (line) => labelRecord(line, atMs)))),
    trajectories: Object.fromEntries(observers.map((observer) => byBody(observer, trajectoryOf(observer)))),
  };
}
