import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventMarker, eventPin, eventRegions, placeLabels } from '../../../../src/picture/overlays/drawing/event-markers.ts';
import { eventOverlays } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import { overlap } from '../../../../src/picture/overlays/overlay.ts';
import { EVENT_DRAWING_VERSION, EVENT_TYPES } from '../../../../src/sun/events/event-types.ts';
import { expectInkInBox, inkBox, pixelAt, rasterAround, rasterOf } from '../../../support/imaging/overlays.ts';

const FRAME = { width: 1200, height: 1200 };
const marker = (fields: Partial<EventMarker>): EventMarker => ({
  pin: 'AR',
  colour: 'FF8F97',
  x: 750,
  y: 700,
  label: [],
  polygons: [],
  ...fields,
});

/** A pin without the columns that only its outline reaches. */
const bodyOf = ({ x, y }: Pick<EventMarker, 'x' | 'y'>) => ({
  x: Math.round(x) - 9,
  y: Math.round(y) - 38,
  width: 17,
  height: 39,
});

const square = [
  [10, 20],
  [60, 20],
  [60, 70],
  [10, 70],
] as const;

it('event regions require three points, and turn grey without a valid colour', () => {
  const flat = [square.slice(0, 2), [square[0], [Number.NaN, 1], square[1]]] as EventMarker['polygons'];
  expect(eventRegions([marker({ polygons: flat })])).toEqual([]);
  const [region] = eventRegions([marker({ polygons: [square], colour: '"/><script>' })]);
  expect(region!.svg).toContain('fill="#d4d4d4"');
});

describe('event regions with holes and behind the limb', () => {
  const inner = square.map(([x, y]) => [20 + (x - 10) / 2, 30 + (y - 20) / 2] as const);

  it('leave out the holes of an outline, whatever their direction, and fill outlines beside each other', async () => {
    const beside = square.map(([x, y]) => [x + 100, y] as const);
    for (const hole of [inner, inner.toReversed()]) {
      const regions = eventRegions([marker({ polygons: [hole, square, beside] })]);
      expect(regions.map(({ x, width }) => [x, width])).toEqual([
        [8, 54],
        [108, 54],
      ]);
      const [ring, whole] = await Promise.all(regions.map((region) => rasterOf(region.svg, region)));
      expect([pixelAt(ring!, 7, 27), pixelAt(ring!, 24, 24)[3]]).toEqual([[102, 57, 60, 102], 0]);
      expect(pixelAt(whole!, 24, 24)).toEqual([102, 57, 60, 102]);
    }
  });

  it('tint ghosts faintly below outlines in front, with a dashed line of their colour', async () => {
    const regions = eventRegions([marker({ polygons: [square] }), marker({ ghosts: [square] })]);
    const [ghost, front] = await Promise.all(regions.map((region) => rasterOf(region.svg, region)));
    expect([pixelAt(ghost!, 27, 27), pixelAt(front!, 27, 27)]).toEqual([
      [46, 26, 27, 46],
      [102, 57, 60, 102],
    ]);
    const opacities = Array.from({ length: 48 }, (_, i) => pixelAt(ghost!, 3 + i, 2)[3]!);
    expect(opacities.filter((opacity) => opacity > 100).length).toBeGreaterThan(20);
    expect(opacities.filter((opacity) => opacity < 50).length).toBeGreaterThan(12);
    const [red, green] = pixelAt(ghost!, 3 + opacities.indexOf(Math.max(...opacities)), 2) as [number, number];
    expect(red).toBeGreaterThan(1.5 * green);
  });

  it('change with EVENT_DRAWING_VERSION alone, which is in the keys of pictures with events', () => {
    const marks = [marker({ polygons: [square, inner], ghosts: [inner], label: ['A'] }), marker({ x: 20, isBehind: true })];
    const drawn = JSON.stringify([EVENT_TYPES, eventOverlays(marks, FRAME)]);
    const digest = createHash('sha256').update(drawn).digest('hex').slice(0, 16);
    expect([EVENT_DRAWING_VERSION, digest], 'raise EVENT_DRAWING_VERSION, and state the new digest here').toEqual([
      2,
      '3b71935759dcf1cd',
    ]);
  });
});

it('event markers keep the same markup at any position', () => {
  expect(eventPin(marker({ x: 10.4, y: 20.6 })).svg).toBe(eventPin(marker({ x: 900, y: 3 })).svg);
});

it('event labels start beside the head of the pin', () => {
  const { labels, leaders } = placeLabels([marker({ label: ['NOAA 12345', 'u03b2u03b3'] })], FRAME);
  expect(labels).toHaveLength(1);
  expect(labels[0]).toMatchObject({ x: 759, y: 664 });
  expect(labels[0]!.svg).toContain('>βγ</text>');
  expect(leaders).toEqual([]);
});

it('event labels stay in their boxes, outline included', async () => {
  const { labels } = placeLabels([marker({ label: ['Åg_Qjy|', '650 ± 12 km/s'] })], FRAME);
  await expectInkInBox(labels[0]!);
});

it('event labels move by whole lines to avoid overlaps, with a leader when they are away from their pin', () => {
  const markers = Array.from({ length: 5 }, () => marker({ x: 10, label: ['one', 'two'] }));
  const { labels, leaders } = placeLabels(markers, FRAME);
  expect(labels.map(({ y }) => (y - labels[0]!.y) / 12)).toEqual([0, 3, -3, 6, -6]);
  expect(leaders).toHaveLength(4);
});

it('event labels move to the other side of the pin, right-aligned, to avoid another pin', async () => {
  const markers = [marker({ label: ['one', 'another'] }), marker({ x: 780, y: 705, label: [] })];
  const { labels, leaders } = placeLabels(markers, FRAME);
  expect(labels).toHaveLength(1);
  expect(labels[0]!.x + labels[0]!.width).toBe(750 - 9);
  expect(leaders).toEqual([]);
  const raster = await rasterAround(labels[0]!, 0);
  const rightEnd = (from: number, to: number) => {
    const rows = { ...raster, height: to - from, pixels: raster.pixels.subarray(from * raster.width * 4, to * raster.width * 4) };
    const ink = inkBox(rows, (rgba) => rgba[0]! > 100)!;
    return ink.x + ink.width;
  };
  expect(Math.abs(rightEnd(2, 13) - rightEnd(14, 25))).toBeLessThanOrEqual(1);
});

it('event labels avoid the space beside another pin where there is room elsewhere', () => {
  // Its own label has no place but between the two pins, or below and above them.
  const [own, other] = [marker({ x: 100, label: ['NOAA 12345'] }), marker({ x: 190, y: 703 })];
  const wall = { x: 0, y: 0, width: 88, height: 1200 };
  const { labels } = placeLabels([own, other], FRAME, [wall]);
  const [label] = labels;
  const isBeside = label!.y < 703 - 10 && label!.y + label!.height > 703 - 38 && label!.x + label!.width > 170;
  expect(isBeside).toBe(false);
  expect(Math.abs(label!.y - 664)).toBeLessThanOrEqual(48);
  expect(placeLabels([own], FRAME, [wall]).labels[0]).toMatchObject({ x: 109, y: 664 });
});

it('event labels drop out rather than cover other pins or move far from their own', () => {
  const pins = Array.from({ length: 60 }, (_, i) =>
    marker({ x: 20 * (i % 20), y: 40 * Math.floor(i / 20) + 39, label: ['NOAA'] }),
  );
  const { labels, leaders } = placeLabels(pins, { width: 400, height: 125 });
  expect(labels).toEqual([]);
  expect(leaders).toEqual([]);
  const { labels: below } = placeLabels(pins, { width: 400, height: 800 });
  expect(below.length).toBeGreaterThan(20);
  for (const { y } of below) expect(y).toBeLessThan(119 + 192);
});

it('event labels get a leader to the pin wherever they moved', async () => {
  const markers = Array.from({ length: 12 }, (_, i) => marker({ y: 700 + i, label: [`NOAA ${i}`] }));
  const { labels, leaders } = placeLabels(markers, FRAME);
  expect(labels).toHaveLength(12);
  const beside = labels.filter(({ x, y, width }) => x <= 770 && x + width >= 730 && y > 640 && y < 710).length;
  expect(leaders.length).toBeGreaterThanOrEqual(12 - beside);
  for (const leader of leaders) {
    const ends = labels.filter((label) => overlap(leader, { ...label, x: label.x - 3, width: label.width + 6 }));
    expect(ends.length).toBeGreaterThan(0);
    const ink = inkBox(await rasterOf(leader.svg, leader), (rgba) => rgba[0]! > 150)!;
    expect(ink.height + ink.width).toBeGreaterThan(20);
  }
});

it('event labels avoid boxes of other overlays', () => {
  const taken = [{ x: 755, y: 600, width: 300, height: 200 }];
  const { labels } = placeLabels([marker({ label: ['NOAA 12345'] })], FRAME, taken);
  expect(labels[0]!.x + labels[0]!.width).toBe(750 - 9);
  expect(placeLabels([marker({ label: ['NOAA 12345'] })], FRAME, [{ x: 0, y: 0, ...FRAME }]).labels).toEqual([]);
});

it('event labels move with their pins from frame to frame, while the anchors of the events are the same', () => {
  // A column of pins that pass each other by a pixel a frame, each at its own speed.
  const anchors = Array.from({ length: 8 }, (_, i) => [600 + 11 * (i % 3), 500 + 9 * i] as const);
  const offsets = (frame: number, isAnchored: boolean) => {
    const markers = anchors.map((anchor, i) => {
      const x = anchor[0] + (frame - 4) * (1 + i / 8);
      return marker({ x, y: anchor[1] + (frame - 4) * (i % 2), label: [`NOAA ${i}`], ...(isAnchored ? { anchor } : {}) });
    });
    const { labels } = placeLabels(markers, FRAME);
    return labels.map((label, i) => [label.x - Math.round(markers[i]!.x), label.y - Math.round(markers[i]!.y)].join());
  };
  const frames = Array.from({ length: 9 }, (_, frame) => frame);
  expect(new Set(frames.map((frame) => offsets(frame, true).join(' ')))).toHaveLength(1);
  expect(new Set(frames.map((frame) => offsets(frame, false).join(' '))).size).toBeGreaterThan(1);
  expect(offsets(4, true)).toEqual(offsets(4, false));
});

it('event labels change sides at the edge of the frame regardless of the anchor', () => {
  const { labels } = placeLabels([marker({ x: 1190, anchor: [1100, 700], label: ['NOAA 12345'] })], FRAME);
  expect(labels[0]!.x + labels[0]!.width).toBe(1190 - 9);
});

it('event labels never cover each other or a pin, and come out the same each time', () => {
  const markers = fc.array(
    fc.record({
      pin: fc.constantFrom('AR', 'FL', 'C3'),
      colour: fc.constant('FF8F97'),
      x: fc.double({ min: -50, max: 1250, noNaN: true }),
      y: fc.double({ min: -50, max: 1250, noNaN: true }),
      label: fc.array(fc.string({ maxLength: 25 }), { maxLength: 5 }),
      polygons: fc.constant([]),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(markers, fc.double({ min: 0.05, max: 1, noNaN: true }), (spread, crowding) => {
      const crowd = spread.map((each) => ({ ...each, x: 600 + (each.x - 600) * crowding, y: 600 + (each.y - 600) * crowding }));
      const { labels } = placeLabels(crowd, FRAME);
      labels.forEach((label, i) => {
        expect(labels.slice(i + 1).filter((other) => overlap(label, other))).toEqual([]);
        expect(crowd.map(bodyOf).filter((body) => overlap(label, body))).toEqual([]);
        expect([label.y >= 0, label.y + label.height <= FRAME.height]).toEqual([true, true]);
      });
      expect(placeLabels(crowd, FRAME).labels).toEqual(labels);
    }),
    { numRuns: 100 },
  );
});

it('events on a frame draw pins faintly where something covers them', async () => {
  const time = { x: 760, y: 670, width: 200, height: 20 };
  const [covered, free] = eventOverlays([marker({}), marker({ y: 730 })], FRAME, [time]);
  const middles = await Promise.all([covered!, free!].map(async (pin) => pixelAt(await rasterOf(pin.svg, pin), 12, 24)));
  expect(middles[1]).toEqual([0xff, 0x8f, 0x97, 255]);
  expect(middles[0]![3]).toBeLessThan(100);
  expect(middles[0]![3]).toBeGreaterThan(60);
});

it('events on a frame keep the order in which pins lie over each other while their anchors are the same', () => {
  const overtaken = [marker({ pin: 'AR', y: 300, anchor: [750, 297] }), marker({ pin: 'FL', y: 299, anchor: [750, 298] })];
  const pins = eventOverlays(overtaken, FRAME).map(({ svg }) => svg.match(/>(FL|AR)</)?.[1]);
  expect(pins).toEqual(['AR', 'FL']);
});

it('events on a frame stay out where they would not be seen, and on frames below 200 pixels', () => {
  const outside = marker({ x: 1300, label: ['x'] });
  const nowhere = marker({ x: Number.NaN, label: ['x'] });
  expect(eventOverlays([outside, nowhere, marker({ x: 1e300 })], FRAME)).toEqual([]);
  expect(eventOverlays([marker({ x: 100, y: 100 })], { width: 199, height: 800 })).toEqual([]);
});
