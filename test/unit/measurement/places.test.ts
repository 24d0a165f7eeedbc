import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImagePlane } from '../../../src/domain/coordinates/image-plane.ts';
import { imageObserver } from '../../../src/domain/coordinates/observer.ts';
import { wcsOf } from '../../../src/domain/wcs.ts';
import { placeOf } from '../../../src/services/measurement/places.ts';
import { pythonWith, runPython } from '../../support/measurement/python.ts';

const AU = 149_597_870_700;
const NOON = Date.UTC(2024, 4, 10, 12);

const FULL_DISC = {
  NAXIS: 2,
  NAXIS1: 4096,
  NAXIS2: 4096,
  CTYPE1: 'HPLN-TAN',
  CTYPE2: 'HPLT-TAN',
  CUNIT1: 'arcsec',
  CUNIT2: 'arcsec',
  CDELT1: 0.6,
  CDELT2: 0.6,
  CRPIX1: 2048.5,
  CRPIX2: 2048.5,
  CRVAL1: 0,
  CRVAL2: 0,
};

/** Headers with everything that moves a place. */
const HEADERS: readonly Readonly<Record<string, string | number>>[] = [
  FULL_DISC,
  { ...FULL_DISC, CRPIX1: 2000.25, CRPIX2: 2101.75, CRVAL1: 512.5, CRVAL2: -330.25 },
  { ...FULL_DISC, PC1_1: 0.9, PC1_2: 0.43589, PC2_1: -0.43589, PC2_2: 0.9, CRVAL1: -1200, CRVAL2: 800 },
  { ...FULL_DISC, CROTA2: 23.5, CDELT2: 0.603 },
  { ...FULL_DISC, CUNIT1: 'deg', CUNIT2: 'deg', CDELT1: 0.0033, CDELT2: 0.0033, CRVAL1: 1.5, CRVAL2: -2.25, LONPOLE: 170 },
];
const PIXELS = [
  [1, 1],
  [2048.5, 2048.5],
  [4096, 17.25],
  [700.5, 3999],
] as const;

const mapOf = (header: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(header).map(([key, value]) => [key, String(value)]));

function planeOf(
  header: Readonly<Record<string, unknown>>,
  observerKeywords: Readonly<Record<string, unknown>> = {},
): ImagePlane {
  const keywords = mapOf({ ...header, ...observerKeywords });
  return ImagePlane.of(wcsOf(keywords)!, imageObserver(NOON, AU, keywords))!;
}

const python = pythonWith('astropy.wcs');

it.skipIf(!python)('places are those of astropy (python3-astropy), to a thousandth of a pixel and back', () => {
  const input = JSON.stringify(HEADERS.map((header) => [header, PIXELS]));
  const answers = JSON.parse(runPython(python!, 'places.py', input)) as [number, number][][];
  for (const [h, header] of HEADERS.entries()) {
    const plane = planeOf(header);
    const arcsecPerPixel = header.CUNIT1 === 'deg' ? Number(header.CDELT1) * 3600 : Number(header.CDELT1);
    for (const [p, [x, y]] of PIXELS.entries()) {
      const seen = plane.seenAt({ x, y });
      const [astropyX, astropyY] = answers[h]![p]!;
      expect(Math.hypot(seen.x - astropyX, seen.y - astropyY) / arcsecPerPixel, `header ${h}, pixel ${x}, ${y}`).toBeLessThan(
        1e-3,
      );
      const back = plane.pixelAt(seen)!;
      expect(Math.hypot(back.x - x, back.y - y)).toBeLessThan(1e-6);
    }
  }
});

describe('a place on the Sun', () => {
  const SEEN_BY = [{}, { HGLN_OBS: 0, HGLT_OBS: -7.2 }, { HGLN_OBS: -71.3, HGLT_OBS: 5.5, RSUN_REF: 696_000_000 }];

  it.each(SEEN_BY)('coincides in all frames for the observer %o', (observer) => {
    const plane = planeOf(FULL_DISC, observer);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.98, noNaN: true }),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        (r, angle) => {
          const seen = { x: 950 * r * Math.cos(angle), y: 950 * r * Math.sin(angle) };
          const place = placeOf(plane, { frame: 'helioprojective', ...seen });
          for (const frame of ['stonyhurst', 'carrington'] as const) {
            const { longitude, latitude } = place[frame]!;
            const again = placeOf(plane, { frame, x: longitude, y: latitude });
            expect(Math.hypot(again.pixel.x - place.pixel.x, again.pixel.y - place.pixel.y)).toBeLessThan(1e-5);
          }
          expect(placeOf(plane, { frame: 'pixel', ...place.pixel }).helioprojective!.x).toBeCloseTo(seen.x, 6);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('at the centre of the disc has the coordinates of the observer', () => {
    const plane = planeOf(FULL_DISC, { HGLN_OBS: -71.3, HGLT_OBS: 5.5 });
    const { stonyhurst } = placeOf(plane, { frame: 'pixel', x: 2048.5, y: 2048.5 });
    expect(stonyhurst!.longitude).toBeCloseTo(-71.3, 9);
    expect(stonyhurst!.latitude).toBeCloseTo(5.5, 9);
  });

  it('does not exist beside the disc, and raises an error behind it, beyond a pole and without a projection', () => {
    const plane = planeOf(FULL_DISC);
    expect(placeOf(plane, { frame: 'helioprojective', x: 1100, y: 0 })).toMatchObject({ stonyhurst: null, carrington: null });
    expect(() => placeOf(plane, { frame: 'stonyhurst', x: 120, y: 0 })).toThrow(
      /side of the Sun that the observer of this image saw for x/,
    );
    expect(() => placeOf(plane, { frame: 'carrington', x: 0, y: 91 })).toThrow(/latitude from -90 to 90 degrees for y/);
    expect(() => placeOf(plane, { frame: 'helioprojective', x: 648_000, y: 0 })).toThrow(/in front of the observer for x/);
    const other = mapOf({ ...FULL_DISC, CTYPE1: 'HPLN-ARC' });
    expect(ImagePlane.of(wcsOf(other)!, imageObserver(NOON, AU, other))).toBeNull();
    expect(() => placeOf(null, { frame: 'helioprojective', x: 1, y: 1 })).toThrow(/Use frame=pixel/);
  });
});
