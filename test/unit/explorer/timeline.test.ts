import { expect, it } from 'vitest';
import { flareStrength } from '../../../src/events/records/strength.ts';
import type { EventMarker, LayerCoverage } from '../../../src/explorer/model/timeline.ts';
import {
  flareMarks,
  fluxAt,
  fluxHeight,
  imagesAt,
  markerRows,
  markersAt,
  nextMoment,
  withShownImages,
} from '../../../src/explorer/model/timeline.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';

const START = Date.UTC(2024, 4, 10);
const at = (hours: number) => START + hours * HOUR_MS;

const marker = (pin: string, label: string, from: number, to: number, rest: Partial<EventMarker> = {}): EventMarker => ({
  id: `${pin} ${label} ${from}`,
  pin,
  label,
  startMs: at(from),
  endMs: at(to),
  peakMs: null,
  strength: flareStrength(label),
  count: null,
  weight: 1,
  ...rest,
});

/** Three hours with these numbers of images, after as much time without a count. */
const layer = (...counts: number[]): LayerCoverage => ({
  sourceId: 10,
  bins: counts.map((count, i) => ({ startMs: at(i), count })),
  binMs: HOUR_MS,
  known: { startMs: at(0), endMs: at(counts.length) },
});
const countsOf = ({ bins }: LayerCoverage) => bins.map(({ startMs, count }) => [(startMs - START) / HOUR_MS, count]);

it('rows of events on the timeline keep types apart, and put events at the same time into lanes, at most three', () => {
  const rows = markerRows([marker('AR', 'NOAA 13664', 0, 24), marker('FL', 'X2.1', 6, 7)], ['FL', 'AR', 'CH']);
  expect(rows.map(({ pin, lanes }) => [pin, lanes.flat().length])).toEqual([
    ['FL', 1],
    ['AR', 1],
    ['CH', 0],
  ]);
  const together = [0, 1, 2, 3].map((i) => marker('AR', `NOAA 1366${i}`, i / 10, 24));
  expect(markerRows(together, ['AR'])[0]!.lanes.map((lane) => lane.length)).toEqual([2, 1, 1]);
  const one = [marker('FL', 'C1.0', 3, 4), marker('FL', 'C2.0', 1, 3)];
  expect(markerRows(one, ['FL'])[0]!.lanes.map((lane) => lane.map(({ label }) => label))).toEqual([['C2.0', 'C1.0']]);
});

const flare = marker('FL', 'X2.1', 6, 7, { peakMs: at(6.5) });
const weak = marker('FL', 'C9.9', 6.2, 6.6, { peakMs: at(6.3) });
const region = marker('AR', 'NOAA 13664 βγδ', 0, 24);

it('events at a time of the timeline include those in progress, the strongest flare first, and a bin of each type', () => {
  expect(markersAt([region, weak, flare], at(6.3), 0)).toEqual([flare, weak, region]);
  expect(markersAt([region, weak, flare], at(5.9), 0)).toEqual([region]);
  expect(markersAt([region, weak, flare], at(5.9), 0.2 * HOUR_MS)).toEqual([flare, region]);
  const bins = [0, 1].map((i) => marker('FL', '', i, i + 1, { count: i + 3 }));
  expect(markersAt(bins, at(1), HOUR_MS)).toEqual([bins[1]]);
});

it('events at a time of the timeline follow each other by their peaks or starts', () => {
  const all = [region, weak, flare];
  expect(nextMoment(all, at(6), 1)).toBe(weak.peakMs);
  expect(nextMoment(all, weak.peakMs!, 1)).toBe(flare.peakMs);
  expect(nextMoment(all, weak.peakMs!, -1)).toBe(region.startMs);
  expect(nextMoment(all, flare.peakMs!, 1)).toBeNull();
});

it('images on the timeline include each shown image, also where counts are older, beyond their range, and without any', () => {
  expect(countsOf(withShownImages(layer(4, 0, 2), [at(0.5), at(1.5)]))).toEqual([
    [0, 4],
    [1, 1],
    [2, 2],
  ]);
  expect(countsOf(withShownImages(layer(4), [at(-2.5), at(3.5)]))).toEqual([
    [-3, 1],
    [0, 4],
    [3, 1],
  ]);
  const none = { ...layer(), binMs: 0, known: null };
  expect(countsOf(withShownImages(none, [at(0.5)]))).toEqual([[0.5, 1]]);
});

it('images on the timeline count in a bin, lack in an empty one, and stay unknown beyond', () => {
  const known = layer(4, 0);
  expect(imagesAt(known, at(0.9), 0)).toEqual({ count: 4 });
  expect(imagesAt(known, at(1.5), 0)).toEqual({ count: 0 });
  expect(imagesAt(known, at(2.5), 0)).toBeNull();
});

it('images on the timeline in months reach to the next one, and single ones appear within reach of the pointer', () => {
  const months: LayerCoverage = {
    ...layer(),
    bins: [1, 2, 3].map((month) => ({ startMs: Date.UTC(2024, month), count: month })),
    binMs: 29 * 24 * HOUR_MS,
  };
  expect(imagesAt(months, Date.UTC(2024, 2, 31, 12), 0)).toEqual({ count: 2 });
  const single: LayerCoverage = { ...layer(), binMs: 0, bins: [{ startMs: at(1), count: 1 }], known: layer(0, 0).known };
  expect(imagesAt(single, at(1) + MINUTE_MS, 2 * MINUTE_MS)).toEqual({ atMs: at(1) });
  expect(imagesAt(single, at(1.5), 2 * MINUTE_MS)).toEqual({ count: 0 });
});

it('X-ray flux on the timeline gives each class a part of the axis, and comes from the bin of a time, unknown beyond', () => {
  expect([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3].map((flux) => Number(fluxHeight(flux).toFixed(6)))).toEqual([
    0, 0.2, 0.4, 0.6, 0.8, 1,
  ]);
  expect([fluxHeight(1e-9), fluxHeight(1)]).toEqual([0, 1]);
  const flux = { startMs: START, binMs: MINUTE_MS, peaks: [1e-6, null, 3e-6] };
  const times = [-1, 0, 59_999, MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS];
  expect(times.map((ms) => fluxAt(flux, START + ms))).toEqual([null, 1e-6, 1e-6, null, 3e-6, null]);
});

it('X-ray flux on the timeline gives each flare of the range a mark, one for several reports of the same, the strongest first', () => {
  const peakMs = at(6.5);
  const flares = [
    marker('FL', 'C3.2', 1, 2),
    marker('FL', 'X2.1', 6, 7, { peakMs }),
    marker('C3', 'X2.1', 6, 7, { peakMs: peakMs + 10_000 }),
    marker('FL', 'M5.0', 30, 31),
    marker('AR', 'NOAA 13664 βγδ', 0, 24),
  ];
  const marks = flareMarks(flares, { startMs: at(0), endMs: at(24) });
  expect(marks.map(({ text, atMs, flux }) => [text, atMs, Number(flux.toPrecision(6))])).toEqual([
    ['X2.1', peakMs, 2.1e-4],
    ['C3.2', at(1), 3.2e-6],
  ]);
});
