import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { earthObserver } from '../../../src/sun/coordinates/observer.ts';
import type { SolarEvent } from '../../../src/sun/events/solar-event.ts';
import { expectRefused, itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, NOON } from '../../support/measurement/samples.ts';
import { type ImageValues, measuringService } from '../../support/measurement/service.ts';

const ID = 'SPoCA_v1.0_20240510_000000';
const named = (name: string) => `${name}_20240510_000000`;

/** A square of 120 arcseconds, measured half a day before the image. */
const SQUARE = [
  [-260, 90],
  [-140, 90],
  [-140, 210],
  [-260, 210],
] as const;

const position = { kind: 'helioprojective', x: -200, y: 150, atMs: NOON - 12 * HOUR_MS } as const;
const eventWith = (id: string, outlines: SolarEvent['outlines']) => ({ id, outlines, position }) as SolarEvent;

const EVENTS = [
  eventWith(`ivo://helio-informatics.org/${ID}`, [SQUARE]),
  eventWith(named('point'), []),
  eventWith(named('cme'), [SQUARE.map(([x, y]) => [x - 900, y] as const)]),
];

const events = {
  eventsBetween: async <T>(_: unknown, __: unknown, pick: (event: SolarEvent) => T | null) => ({
    events: EVENTS.flatMap((event) => pick(event) ?? []),
    states: [],
  }),
};

const RANGE = { sourceId: AIA_171, startTime: '2024-05-10T11:00:00Z', endTime: '2024-05-10T13:00:00Z' };

const { ask } = await measuringService(
  { events } as unknown as Parameters<typeof measuringService>[0],
  undefined,
  [0, 30].map((minutes) => ({ sourceId: AIA_171, timeMs: NOON + minutes * MINUTE_MS })),
);

/** The mean place of the pixels of an array in arcseconds. */
function centreOf({ values, wcs }: ImageValues): readonly [number, number] {
  const places = values.flatMap((row, y) => row.flatMap((value, x) => (value === null ? [] : [[x, y] as const])));
  const mean = (axis: 0 | 1) => places.reduce((sum, place) => sum + place[axis], 0) / places.length;
  return [(mean(0) + 1 - wcs.crpix[0]!) * wcs.cdelt[0]!, (mean(1) + 1 - wcs.crpix[1]!) * wcs.cdelt[1]!];
}

describe('the outline of an event as a region', () => {
  it('rotates with the Sun from the time of its measurement to that of the image', async () => {
    const asked = { sourceId: AIA_171, date: '2024-05-10T12:00:00Z', eventId: ID, format: 'json' };
    const data = (await (await ask('getImageData', asked)).json()) as ImageValues;
    const [x, y] = centreOf(data);
    // At this latitude the Sun turns by 13.2 degrees a day before the Earth; the place is seen from above the equator or below.
    const { distanceRadii, b0Degrees } = earthObserver(NOON);
    const radius = 3600 * (180 / Math.PI) * (1 / distanceRadii);
    const before = Math.asin(-200 / radius / Math.cos(Math.asin(150 / radius)));
    const expected = radius * Math.cos(Math.asin(150 / radius)) * Math.sin(before + (6.6 * Math.PI) / 180);
    expect(Math.abs(x - expected), `${x} for ${expected}, B0 ${b0Degrees}`).toBeLessThan(12);
    expect(Math.abs(y - 150)).toBeLessThan(12);
    expect(data.pixels.measured).toBeGreaterThan((0.85 * 120 ** 2) / data.wcs.cdelt[0]! ** 2);
  });

  it('rotates on in a tracked light curve, and stays in a fixed one', async () => {
    const rowsOf = async (track: string) => {
      const { curve } = (await (await ask('getLightCurve', { ...RANGE, eventId: ID, track })).json()) as {
        curve: { mean: number; count: number }[];
      };
      return curve;
    };
    const [fixed, tracked] = [await rowsOf('none'), await rowsOf('rotation')];
    expect([fixed.length, tracked.length]).toEqual([2, 2]);
    expect(fixed[0]).toEqual(tracked[0]);
    expect(fixed[1]!.mean).not.toBe(tracked[1]!.mean);
    expect(Math.abs(fixed[1]!.count / fixed[0]!.count - 1)).toBeLessThan(0.03);
  });

  it('makes its bounds the grid of a cut-out', async () => {
    const file = Buffer.from(await (await ask('getCutout', { ...RANGE, eventId: ID, scale: 4.8, format: 'npy' })).arrayBuffer());
    const [, height, width] = /'shape': \(2, (\d+), (\d+)\)/.exec(file.toString('latin1'))!.map(Number) as [
      number,
      number,
      number,
    ];
    expect(width).toBeGreaterThanOrEqual(24);
    expect(width).toBeLessThan(30);
    expect(height).toBeGreaterThanOrEqual(24);
    expect(height).toBeLessThan(30);
  });

  it('makes its bounds the field of view of a movie, for which two images are too few', async () => {
    const response = await ask('getCutout', { ...RANGE, eventId: ID, format: 'mp4' });
    await expectRefused(response, 404, /at least 4 images; there are 2/);
  });

  itRefuses(
    async (parameters) => ask('getLightCurve', { ...RANGE, ...parameters }),
    [
      ['an unknown event', { eventId: named('other') }, 404, /No event has the id other_20240510_000000/],
      ['an id without a day', { eventId: 'flare' }, 400, /which contains its day, for eventId, got flare/],
      ['an event without an outline', { eventId: named('point') }, 400, /at -200,150 arcseconds: give circle with a radius/],
      ['an event beside the Sun', { eventId: named('cme') }, 400, /an event on the disc \(for what is beside the Sun, give x, y/],
      ['two regions', { eventId: ID, circle: '0,0,10' }, 400, /^eventId cannot be combined with circle/],
      ['pixels', { eventId: ID, frame: 'pixel' }, 400, /^frame=pixel cannot be combined with eventId/],
    ],
  );
});
