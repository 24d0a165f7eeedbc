// Reference positions of Sun and Earth from astronomy-engine (VSOP87, IAU rotation models), independent of the formulas under test.
import { Body, HelioVector, MakeTime, RotationAxis } from 'astronomy-engine';

type Vector = readonly [number, number, number];

const RAD = Math.PI / 180;
const SOLAR_RADIUS_M = 695_700_000;
const AU_M = 149_597_870_700;
/** Degrees that the Sun rotates during the light travel time, because the IAU meridian refers to the emission of the light. */
const TURNED_UNDER_LIGHT = (14.1844 * 499) / 86_400;

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (a: Vector, by: number): Vector => [a[0] * by, a[1] * by, a[2] * by];
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Vector): Vector => times(a, 1 / Math.sqrt(dot(a, a)));

function skyAt(atMs: number) {
  const time = MakeTime(new Date(atMs));
  const { north, spin } = RotationAxis(Body.Sun, time);
  const { x, y, z } = HelioVector(Body.Earth, time);
  return { axis: [north.x, north.y, north.z] as Vector, earth: [x, y, z] as Vector, spin };
}

/** Unit vectors to solar west, to solar north and towards the Earth, as seen from the Earth. */
function axesAt(atMs: number) {
  const { axis, earth } = skyAt(atMs);
  const towards = unit(earth);
  const north = unit(plus(axis, times(towards, -dot(axis, towards))));
  return { west: cross(north, towards), north, towards, axis };
}

/** Distance in au, B0 and L0 in degrees, and longitude of the Earth on the solar equator from its node on the Earth's equator. */
export function engineEarth(atMs: number) {
  const { axis, earth, spin } = skyAt(atMs);
  const node = unit([-axis[1], axis[0], 0]);
  const longitude = Math.atan2(dot(earth, cross(axis, node)), dot(earth, node)) / RAD;
  return {
    distanceAu: Math.sqrt(dot(earth, earth)),
    b0Degrees: Math.asin(dot(unit(earth), axis)) / RAD,
    l0Degrees: longitude - spin + TURNED_UNDER_LIGHT,
    longitudeDegrees: longitude,
  };
}

/**
 * Position at `toMs`, as seen from 1 au, of a point on the Sun that is observed at x, y arcseconds (y north) from `fromAu` in the
 * direction of the Earth. Intersects the line of sight with the sphere and rotates it about the solar axis in space.
 */
export function engineTurned(seen: { x: number; y: number }, fromAu: number, fromMs: number, toMs: number) {
  const [from, to] = [axesAt(fromMs), axesAt(toMs)];
  const [tx, ty] = [(seen.x / 3600) * RAD, (seen.y / 3600) * RAD];
  const sight = plus(
    plus(times(from.west, Math.sin(tx) * Math.cos(ty)), times(from.north, Math.sin(ty))),
    times(from.towards, -Math.cos(tx) * Math.cos(ty)),
  );
  const eye = times(from.towards, (fromAu * AU_M) / SOLAR_RADIUS_M);
  const along = -dot(eye, sight);
  const point = plus(eye, times(sight, along - Math.sqrt(along ** 2 - dot(eye, eye) + 1)));
  const s2 = dot(point, from.axis) ** 2;
  const angle = (2.894 - 0.428 * s2 - 0.37 * s2 ** 2) * 1e-6 * ((toMs - fromMs) / 1000);
  const turned = plus(
    plus(times(point, Math.cos(angle)), times(cross(from.axis, point), Math.sin(angle))),
    times(from.axis, dot(from.axis, point) * (1 - Math.cos(angle))),
  );
  const depth = AU_M / SOLAR_RADIUS_M - dot(turned, to.towards);
  const [west, north] = [dot(turned, to.west), dot(turned, to.north)];
  return {
    x: (Math.atan2(west, depth) / RAD) * 3600,
    y: (Math.atan2(north, Math.hypot(west, depth)) / RAD) * 3600,
    isVisible: dot(turned, to.towards) > SOLAR_RADIUS_M / AU_M,
  };
}
