// Planets and probes over the picture, as the observer of an image sees them: names, and trajectories with a dot for each step.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { bodyName } from '../../sun/bodies/bodies.ts';
import type { ObserverName } from '../../sun/bodies/solar-system.ts';
import { planePointOf } from '../../sun/coordinates/picture-plane.ts';
import { call } from '../api/request.ts';
import { bodyObserver } from '../model/readout.ts';
import { setTo, setter } from '../page/controls.tsx';
import { useLoaded } from '../page/loading.tsx';
import { baseImage, camera, isMoving, mapping, pictureSize, shown } from '../store/state.ts';
import type { Point } from './geometry.ts';
import { pixelOfPoint } from './screen.ts';

/**
 * A place in apparent arcseconds, x to the west and y to the north, and `at` in the plane of the picture, arcseconds as seen from 1 au, y down.
 * `isBehind`: whether it is farther away than the Sun.
 */
function seenAt({ x, y, distance_sun_to_observer_au, behind_plane_of_sun }: Schemas['BodyPosition']) {
  return { x, y, at: planePointOf({ x, y }, distance_sun_to_observer_au), isBehind: behind_plane_of_sun === 'True' };
}

/** @throws as `call` */
async function solarBodies(observer: ObserverName, atMs: number, signal: AbortSignal) {
  const body = await call('getSolarBodies', { time: atMs, observers: observer }, signal);
  const [labels, trajectories] = [body.labels[observer] ?? {}, body.trajectories[observer] ?? {}];
  return {
    bodies: Object.entries(labels).flatMap(([name, position]) =>
      position ? [{ name: bodyName(name), ...seenAt(position) }] : [],
    ),
    trajectories: Object.entries(trajectories).map(([name, points]) => ({
      name: bodyName(name),
      points: Object.values(points).map(seenAt),
    })),
  };
}

type SeenBodies = Awaited<ReturnType<typeof solarBodies>>;

/** While images play, bodies are loaded once for so long: planets are then at most a hundredth of a degree off, the fastest probe a twentieth. */
const PLAY_STEP_MS = 10 * MINUTE_MS;
const DOT_PIXELS = 2;
/** From a body to the baseline of its name. */
const NAME_PIXELS = { x: 6, y: 14 };

/** `bodies`: those of the time before while others load; null before the first, and after a failure until others have loaded. */
export const seenBodies = signal<ReturnType<typeof useBodies> | null>(null);

function useBodies() {
  const atMs = shown.value!.view.atMs;
  const stepMs = isMoving.value ? PLAY_STEP_MS : 1000;
  const timeMs = Math.floor(atMs / stepMs) * stepMs;
  const observer = bodyObserver(baseImage.value?.name ?? '');
  const { last, failure, retry } = useLoaded(`${observer} ${timeMs}`, (signal) => solarBodies(observer, timeMs, signal));
  const dropped = useRef(last);
  if (failure) dropped.current = last;
  return { bodies: last === dropped.current ? null : last!.value, failure, retry };
}

/** The place of a body, which no projection of the surface has. */
const beside = (at: Point): Point | null => (mapping.value?.isOfPicture ? pixelOfPoint(at) : null);

function Trajectory({ points }: SeenBodies['trajectories'][number]) {
  const places = points.flatMap(({ at, isBehind }) => {
    const pixel = beside(at);
    return pixel ? [{ ...pixel, isBehind }] : [];
  });
  return (
    <>
      <path class="casing" d={places.map(({ x, y }, i) => `${i ? 'L' : 'M'}${x} ${y}`).join('')} />
      {places.slice(1).map((to, i) => {
        const from = places[i]!;
        return <line key={to.x} class={to.isBehind ? 'way behind' : 'way'} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
      })}
      {places.map(({ x, y }) => (
        <circle key={x} class="way-dot" cx={x} cy={y} r={DOT_PIXELS} />
      ))}
    </>
  );
}

function Name({ name, at }: SeenBodies['bodies'][number]) {
  const pixel = beside(at);
  if (!pixel) return null;
  const { x, y } = pixel;
  return (
    <>
      <circle class="body-place" cx={x} cy={y} r={2 * DOT_PIXELS} />
      <text class="body-name" x={x + NAME_PIXELS.x} y={y + NAME_PIXELS.y}>
        {name}
      </text>
    </>
  );
}

export function Bodies() {
  const seen = useBodies();
  useEffect(() => setter(seenBodies)(seen), [seen.bodies, seen.failure]);
  useEffect(() => setTo(seenBodies, null), []);
  const size = pictureSize.value;
  if (!seen.bodies || !camera.value) return null;
  const { bodies, trajectories } = seen.bodies;
  return (
    <svg class="overlay" id="bodies" aria-hidden="true" viewBox={`0 0 ${size.width} ${size.height}`}>
      {trajectories.map((one) => (
        <Trajectory key={one.name} {...one} />
      ))}
      {bodies.map((one) => (
        <Name key={one.name} {...one} />
      ))}
    </svg>
  );
}
