// Coordinates of the read-out against SunPy 4.1.2 with astropy 5.2.1: SkyCoord(longitude, latitude, 695700 km,
// HeliographicStonyhurst(obstime)), transformed to Helioprojective(observer) and HeliographicCarrington(observer).
import { expect, it } from 'vitest';
import { carringtonLongitudeOf, readoutAt } from '../../../src/explorer/model/readout.ts';
import { imageObserver, type Observer, wrap180 } from '../../../src/sun/coordinates/observer.ts';
import { positionOf } from '../../../src/sun/coordinates/picture-plane.ts';

/** Stonyhurst longitude and latitude, Tx and Ty, Carrington longitude. */
type Point = readonly [longitude: number, latitude: number, tx: number, ty: number, carrington: number];

interface Case {
  readonly name: string;
  readonly time: string;
  /** Metres from the centre of the Sun. */
  readonly distance: number;
  /** Stonyhurst longitude and latitude of the observer; the position of the Earth without them. */
  readonly place?: readonly [number, number];
  readonly points: readonly Point[];
}

const CASES: readonly Case[] = [
  {
    name: 'the Earth with the south pole turned towards it',
    time: '2011-03-07T06:00:00Z',
    distance: 148_438_056_864,
    points: [
      [0, 0, 0, 122.60173193, 116.03224105],
      [70, -30, 788.03111218, -444.08818671, 186.03224105],
      [-45, 60, -342.1748852, 874.63714188, 71.03224105],
      [20, 75, 85.62345188, 956.52014506, 136.03224105],
      [-80, -5, -949.21881747, -62.5243379, 36.03224105],
    ],
  },
  {
    name: 'an observer ahead of the Earth, as STEREO-A',
    time: '2011-03-07T06:00:00Z',
    distance: 143_868_272_252,
    place: [87.6, 7.33],
    points: [
      [87.6, 0, 0, -127.86922631, 203.62973856],
      [157.6, -30, 812.6051542, -532.91936805, 273.62973856],
      [42.6, 60, -353.43230732, 813.55697622, 158.62973856],
      [107.6, 75, 88.44964126, 926.24537602, 223.62973856],
      [7.6, -5, -979.29070319, -108.31775509, 123.62973856],
    ],
  },
  {
    name: 'an observer near the Sun, as Solar Orbiter',
    time: '2022-03-26T12:00:00Z',
    distance: 48_379_951_384,
    place: [-75.4, -3.6],
    points: [
      [-75.4, 0, 0, 188.95292521, 34.09610885],
      [-5.4, -30, 2425.07499016, -1431.55566934, 104.09610885],
      [-120.4, 60, -1053.17606751, 2640.6271665, 349.09610885],
      [-55.4, 75, 263.24976235, 2912.0773367, 54.09610885],
      [-155.4, -5, -2917.17334017, -226.33978799, 314.09610885],
    ],
  },
];

function observer({ time, distance, place }: Case): Observer {
  const header = place ? [['HGLN_OBS', String(place[0])] as const, ['HGLT_OBS', String(place[1])] as const] : [];
  return imageObserver(Date.parse(time), distance, new Map(header));
}

it.each(CASES)('coordinates as SunPy gives them agree within an arcsecond and a hundredth of a degree for $name', (one) => {
  const from = observer(one);
  for (const [longitude, latitude, tx, ty, carrington] of one.points) {
    const { helioprojective, stonyhurst } = readoutAt(positionOf({ longitude, latitude }, from)!, from);
    expect(Math.abs(helioprojective.x - tx)).toBeLessThan(1);
    expect(Math.abs(helioprojective.y - ty)).toBeLessThan(1);
    expect(Math.abs(wrap180(stonyhurst!.longitude - longitude))).toBeLessThan(1e-6);
    expect(Math.abs(stonyhurst!.latitude - latitude)).toBeLessThan(1e-6);
    expect(Math.abs(wrap180(carringtonLongitudeOf(stonyhurst!, from) - carrington))).toBeLessThan(0.01);
  }
});

it.each(CASES)('coordinates as SunPy gives them follow from helioprojective coordinates for $name', (one) => {
  const from = observer(one);
  const arcsecAtOneAu = one.distance / 149_597_870_700;
  for (const [longitude, latitude, tx, ty] of one.points) {
    // Points of the image plane: Calabretta and Greisen 2002, gnomonic projection.
    const [a, b] = [(tx / 3600) * (Math.PI / 180), (ty / 3600) * (Math.PI / 180)];
    const plane = { x: Math.tan(a), y: -Math.tan(b) / Math.cos(a) };
    const toArcsec = (3600 * 180) / Math.PI;
    const point = { x: plane.x * toArcsec * arcsecAtOneAu, y: plane.y * toArcsec * arcsecAtOneAu };
    const { stonyhurst } = readoutAt(point, from);
    // Near the limb a small difference of B0 moves the point of a line of sight by more.
    const foreshortening = Math.max(Math.cos(((longitude - (one.place?.[0] ?? 0)) * Math.PI) / 180), 0.1);
    expect(Math.abs(wrap180(stonyhurst!.longitude - longitude))).toBeLessThan(0.01 / foreshortening);
    expect(Math.abs(stonyhurst!.latitude - latitude)).toBeLessThan(0.01);
  }
});
