import { expect, it } from 'vitest';
import { blendOverlay, prepareRasteriser, rasterise } from '../../../../src/picture/overlays/drawing/draw.ts';
import { frameOverlays } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import { MOVIE_ICONS } from '../../../../src/picture/overlays/movie-icons.ts';
import { overlap } from '../../../../src/picture/overlays/overlay.ts';
import { imageObserver } from '../../../../src/sun/coordinates/observer.ts';
import { drawOverlays, overlaid, overlayFrame } from '../../../support/imaging/overlays.ts';

const NOON = Date.UTC(2021, 5, 1, 12);
const FRAME = { width: 900, height: 700 };
const CIRCLE = Array.from({ length: 40 }, (_, i) => [450 + 600 * Math.cos(i / 6.4), 350 + 600 * Math.sin(i / 6.4)] as const);

const CONTENT = {
  events: [
    { pin: 'CH', colour: 'FEF38E', x: 400, y: 350, label: ['CH 1'], polygons: [CIRCLE] },
    { pin: 'AR', colour: 'FF8F97', x: 895, y: 30, label: ['u03b2'], polygons: [] },
  ],
  observer: imageObserver(NOON, 1.49e11, new Map()),
  movies: [{ x: 3, y: 500, label: 'SDO AIA 171' }],
  captions: [{ name: 'SDO AIA 171', takenAtMs: NOON }],
  moon: true,
};
const VIEW = { ...FRAME, scale: 5, left: -2000, top: -1200 };
const ALL = { watermark: true, scale: true, movieIcons: true, grid: true };

/** Ramps of each colour, so that every overlay lies over many values. */
function ground(): Uint8Array {
  const pixels = new Uint8Array(FRAME.width * FRAME.height * 3);
  return pixels.map((_, i) => Math.floor(i / 3) * (3 + (i % 3)) + (Math.floor(i / 3) >> 9));
}

/** Whether two frames have the same bytes, in a fraction of the time of toEqual where they differ. */
const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

async function drawn(stripRows: number): Promise<Uint8Array> {
  const pixels = ground();
  for (let y0 = 0; y0 < FRAME.height; y0 += stripRows) {
    const height = Math.min(stripRows, FRAME.height - y0);
    const rows = pixels.subarray(y0 * FRAME.width * 3, (y0 + height) * FRAME.width * 3);
    const strip = { pixels: rows, width: FRAME.width, y0, height };
    await drawOverlays(strip, FRAME, frameOverlays(overlaid(VIEW, ALL), CONTENT));
  }
  return pixels;
}

it('drawing overlays gives the same frame in strips of any height', async () => {
  const whole = await drawn(FRAME.height);
  expect(isSame(whole, ground())).toBe(false);
  for (const rows of [1, 37, 256, 700]) expect(await drawn(rows)).toEqual(whole);
  const start = ground();
  expect(whole.filter((value, i) => value !== start[i]).length).toBeGreaterThan(300_000);
});

it('drawing overlays leaves no seams in a region that is drawn in tiles', async () => {
  const frame = { width: 1500, height: 900 };
  const pixels = new Uint8Array(frame.width * frame.height * 3);
  const [low, high] = [-9, 1600];
  const all = [
    [low, low],
    [high, low],
    [high, high],
    [low, high],
  ] as const;
  const events = [{ ...CONTENT.events[0]!, x: -500, label: [], polygons: [all] }];
  await drawOverlays({ pixels, y0: 0, ...frame }, frame, frameOverlays(overlaid({ ...frame, scale: 1 }), { events }));
  expect(new Set(Array.from({ length: 900 }, (_, y) => pixels.subarray(y * 4500, y * 4500 + 4500).join()))).toHaveLength(1);
  expect([...pixels.subarray(0, 3)]).toEqual([102, 97, 57]);
});

it('the overlays of a frame come in the order grid, events, movies, scale, logo, text, moon, and are none without content', () => {
  const overlays = frameOverlays(overlaid(VIEW, ALL), CONTENT);
  const signs = [
    'stroke-opacity="0.32"',
    '#fef38e',
    '>AR<',
    '>CH<',
    '>β<',
    '>CH 1<',
    '>SDO AIA 171<',
    '>Earth Scale<',
    'id="sun"',
    '2021-06',
    'id="grey"',
  ];
  const positions = signs.map((sign) => overlays.findIndex(({ svg }) => svg.includes(sign)));
  expect(positions).not.toContain(-1);
  expect(positions.filter((position, i) => positions.indexOf(position) === i)).toEqual([...overlays.keys()]);
  expect(frameOverlays(overlaid(VIEW), {})).toEqual([]);
});

it('the overlays of a frame keep event labels clear of time, logo and scale, which cover the pins', () => {
  const events = Array.from({ length: 15 }, (_, i) => ({ ...CONTENT.events[1]!, x: 30 + 60 * i, y: 690, label: [`NOAA ${i}`] }));
  const placed = { scaleType: 'scalebar', scaleX: VIEW.left + 300 * 5, scaleY: -(VIEW.top + 640 * 5) };
  for (const scale of [{}, placed]) {
    const overlays = frameOverlays(overlaid(VIEW, { ...ALL, ...scale }), { ...CONTENT, events });
    const labels = overlays.filter(({ svg }) => svg.includes('>NOAA '));
    const decorations = overlays.filter(({ svg }) => ['Scale<', 'id="sun"', '2021-06'].some((sign) => svg.includes(sign)));
    expect(labels.length).toBeGreaterThan(10);
    expect(decorations).toHaveLength(3);
    for (const box of decorations) expect(labels.filter((label) => overlap(label, box))).toEqual([]);
    const pins = overlays.map(({ svg }, i) => (svg.includes('>AR<') ? i : -1));
    expect(Math.min(...decorations.map((each) => overlays.indexOf(each)))).toBeGreaterThan(Math.max(...pins));
  }
});

const MARKS = {
  ...CONTENT,
  events: CONTENT.events.map((event) => ({ ...event, anchor: [event.x - 3, event.y + 2] as const })),
  moon: false,
};
const overlays = { ...ALL, scaleType: 'scalebar', scaleX: VIEW.left + 120 * 5, scaleY: -(VIEW.top + 81 * 5) };
const timesAsFine = (factor: number) => {
  const frame = { width: FRAME.width * factor, height: FRAME.height * factor };
  const place = <P extends { x: number; y: number }>(at: P) => ({ ...at, x: at.x * factor, y: at.y * factor });
  const point = ([x, y]: readonly [number, number]) => [x * factor, y * factor] as const;
  const content = {
    ...MARKS,
    events: MARKS.events.map((event) => ({
      ...place(event),
      anchor: point(event.anchor),
      polygons: event.polygons.map((polygon) => polygon.map(point)),
    })),
    movies: MARKS.movies.map(place),
  };
  return { frame, overlays: frameOverlays(overlaid({ ...VIEW, ...frame, scale: 5 / factor }, overlays, factor), content) };
};

it.each([4 / 3, 2])('the overlays of a large movie take the positions of a frame %d times smaller', (factor) => {
  const small = frameOverlays(overlaid(VIEW, overlays), MARKS);
  const fine = timesAsFine(factor).overlays;
  expect(fine).toHaveLength(small.length);
  for (const [i, { x, y, width, height }] of fine.entries()) {
    const { x: left, y: top, ...size } = small[i]!;
    const over = [left * factor - x, top * factor - y, x + width - (left + size.width) * factor];
    for (const pixels of [...over, y + height - (top + size.height) * factor]) {
      expect(pixels).toBeGreaterThan(-1e-6);
      expect(pixels).toBeLessThan(1);
    }
    expect([x, y, width, height].every(Number.isInteger)).toBe(true);
  }
});

it('movie icons stand on whole pixels in the middle of their regions, and stay out outside the frame', () => {
  const places = [
    [500.3, 300],
    [950, 300],
    [Number.NaN, 1],
  ] as const;
  const movies = places.map(([x, y]) => ({ x, y, label: 'x' }));
  const icons = MOVIE_ICONS.draw(true, overlayFrame({ ...FRAME, movies }));
  expect(icons).toMatchObject([{ x: 490, y: 290, height: 20 }]);
});

it('blending follows source-over rounded to the nearest, for every value and opacity', () => {
  for (let alpha = 0; alpha < 256; alpha++) {
    const pixels = Uint8Array.from({ length: 256 * 3 }, (_, i) => i / 3);
    const source = Uint8Array.from({ length: 256 * 4 }, (_, i) => (i % 4 === 3 ? alpha : alpha >> 1));
    blendOverlay({ pixels, y0: 0, width: 256, height: 1 }, { x: 0, y: 0, width: 256, height: 1 }, source);
    const expected = Array.from({ length: 256 }, (_, value) => (alpha >> 1) + Math.round((value * (255 - alpha)) / 255));
    expect(Array.from({ length: 256 }, (_, i) => pixels[i * 3])).toEqual(alpha === 0 ? [...Array(256).keys()] : expected);
  }
});

it('blending ignores pixels outside the strip', () => {
  const pixels = new Uint8Array(4 * 2 * 3);
  const raster = new Uint8Array(3 * 9 * 4).fill(255);
  blendOverlay({ pixels, width: 4, y0: 8, height: 2 }, { x: -1, y: 9, width: 3, height: 9 }, raster);
  expect([...pixels]).toEqual([...Array(12).fill(0), ...Array(6).fill(255), ...Array(6).fill(0)]);
});

it('rasterising works when the request that instantiated the renderer was cancelled', async () => {
  await prepareRasteriser();
  const module = new URL('../../../../src/picture/overlays/drawing/draw.ts?again', import.meta.url);
  const again = (await import(module.href)) as typeof import('../../../../src/picture/overlays/drawing/draw.ts');
  await again.prepareRasteriser();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
  expect(again.rasterise(svg, 1, 1)).toEqual(new Uint8Array(4));
});

it('rasterising caches rasters, and reports malformed markup as an internal error', async () => {
  await prepareRasteriser();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#f00"/></svg>';
  expect(rasterise(svg, 9, 9)).toBe(rasterise(svg, 9, 9));
  expect([...rasterise(svg, 9, 9).subarray(0, 4)]).toEqual([255, 0, 0, 255]);
  expect(() => rasterise('<svg', 9, 9)).toThrow(expect.objectContaining({ name: 'Failure', kind: 'internal' }));
  const other = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="9"/>';
  expect(() => rasterise(other, 9, 9)).toThrow('The raster of an overlay has 288 bytes instead of 324.');
});
