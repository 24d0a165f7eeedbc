import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlinePicture } from '../../src/events/outline-pictures.ts';
import { outlineFields, outlinePath, parseOutlinePath, pictureSize } from '../../src/events/records/outline-path.ts';
import { LEVEL_0_SCALE } from '../../src/picture/grids/pixel-grid.ts';
import { outlineAt } from '../../src/sun/coordinates/outline.ts';
import { clientView, isInside, type OutlinedRecord, type Points, pinOf } from '../support/events/outlined-records.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { callOf } from '../support/memory/call.ts';

const SEED = 20261122;
const MEASURED = Date.UTC(2014, 6, 1, 12);
const HOUR_MS = 3_600_000;
/** View of the client at its finest level. */
const IMAGE_SCALE = 0.30255511;

const call = callOf();

/** Polygons on the disk around a centre: regular ones, and concave ones with vertices at any distance. */
const polygons = fc
  .record({
    x: fc.double({ min: -500, max: 500, noNaN: true }),
    y: fc.double({ min: -500, max: 500, noNaN: true }),
    size: fc.double({ min: 4, max: 200, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.15, max: 1, noNaN: true }), { minLength: 3, maxLength: 60 }),
    isRegular: fc.boolean(),
  })
  .map(
    ({ x, y, size, radii, isRegular }): Points =>
      radii.map((radius, i) => {
        const angle = (2 * Math.PI * i) / radii.length;
        const far = size * (isRegular ? 1 : radius);
        return [x + far * Math.cos(angle), y + far * Math.sin(angle)];
      }),
  );

const times = fc.integer({ min: MEASURED - 12 * HOUR_MS, max: MEASURED + 12 * HOUR_MS });

function shown(polygon: Points, atMs: number) {
  const position = { kind: 'helioprojective', x: polygon[0]![0], y: polygon[0]![1], atMs: MEASURED } as const;
  const record = outlineFields({ pin: 'CH', outlines: [polygon], position }, atMs) as unknown as OutlinedRecord;
  return { record, outline: outlineAt(polygon, { kind: 'helioprojective', atMs: MEASURED }, atMs)! };
}

/** Distance from a point to the nearest edge of a ring. */
function distanceTo(ring: Points, [x, y]: readonly [number, number]): number {
  return Math.min(
    ...ring.map(([bx, by], i) => {
      const [ax, ay] = ring.at(i - 1)!;
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const along = length > 0 ? Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
      return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
    }),
  );
}

describe('an outline in the view of the web client', () => {
  it('keeps its pin inside convex and concave polygons', () => {
    const property = fc.property(polygons, times, (polygon, atMs) => {
      const { record, outline } = shown(polygon, atMs);
      const pin = pinOf(record);
      expect(isInside(pin, [outline])).toBe(true);
    });
    fc.assert(property, { numRuns: 300, seed: SEED });
  });

  it('keeps every vertex of its picture within an arcsecond of the polygon at the requested time, and the other way round', () => {
    const property = fc.property(polygons, times, (polygon, atMs) => {
      const { record, outline } = shown(polygon, atMs);
      const shape = parseOutlinePath(record.hv_poly_url)!;
      const { insetPx } = pictureSize(shape);
      const { box } = clientView(record, IMAGE_SCALE);
      const drawn: Points = shape.rings[0]!.map(([x, y]) => [
        (box.x + (x / 2 + insetPx) * (LEVEL_0_SCALE / IMAGE_SCALE)) * IMAGE_SCALE,
        -(box.y + (y / 2 + insetPx) * (LEVEL_0_SCALE / IMAGE_SCALE)) * IMAGE_SCALE,
      ]);
      for (const vertex of drawn) expect(distanceTo(outline, vertex)).toBeLessThan(1);
      for (const vertex of outline) expect(distanceTo(drawn, vertex)).toBeLessThan(1);
    });
    fc.assert(property, { numRuns: 300, seed: SEED });
  });

  it('draws a picture of the stated size, whose line covers every vertex of the polygon', async () => {
    const property = fc.asyncProperty(polygons, times, async (polygon, atMs) => {
      const { record, outline } = shown(polygon, atMs);
      const { width, height, rgba } = readPng(await outlinePicture(parseOutlinePath(record.hv_poly_url)!, call));
      expect([width, height]).toEqual([record.hv_poly_width_max_zoom_pixels, record.hv_poly_height_max_zoom_pixels]);
      const { box } = clientView(record, IMAGE_SCALE);
      for (const [x, y] of outline) {
        const column = Math.floor(((x / IMAGE_SCALE - box.x) / box.width) * width);
        const row = Math.floor(((-y / IMAGE_SCALE - box.y) / box.height) * height);
        // The line is black at 53 %, so it is more opaque and darker than the fill.
        const [red, , , alpha] = rgba.subarray((row * width + column) * 4, (row * width + column) * 4 + 4);
        expect(alpha! * (1 - red! / 255)).toBeGreaterThan(60);
      }
    });
    await fc.assert(property, { numRuns: 40, seed: SEED });
  });
});

/** Texts of the alphabet of paths, and paths of outlines with a character replaced. */
const paths = fc.oneof(
  fc.stringMatching(/^[\w~-]{1,60}$/).map((rings) => `cache/events/1/CH/${rings}.png`),
  fc.tuple(polygons, fc.nat(), fc.stringMatching(/^[\w~%./-]$/)).map(([polygon, at, character]) => {
    const path = shown(polygon, MEASURED).record.hv_poly_url;
    const from = at % path.length;
    return path.slice(0, from) + character + path.slice(from + 1);
  }),
  fc.string(),
);

it('the path of an outline rejects a path, or it is the only one of its outline', () => {
  const property = fc.property(paths, (path) => {
    const shape = parseOutlinePath(path);
    if (!shape) return;
    expect(outlinePath(shape)).toBe(path);
    const { width, height, reduction } = pictureSize(shape);
    expect(Math.max(width, height) / reduction).toBeLessThanOrEqual(2048);
  });
  fc.assert(property, { numRuns: 1000, seed: SEED });
});
