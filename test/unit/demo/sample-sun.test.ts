import { describe, expect, it } from 'vitest';
import type { GreyImage } from '../../../demo/jp2/encode.ts';
import { wrap180 } from '../../../demo/sun/feature-types.ts';
import { flaresBetween } from '../../../demo/sun/features.ts';
import { observerAt } from '../../../demo/sun/observer.ts';
import { renderSun } from '../../../demo/sun/render.ts';
import type { Framing } from '../../../demo/sun/view.ts';
import { DAY_MS } from '../../../src/util/durations.ts';
import { placedHoles, placedRegions } from '../../support/sample-features.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';

useSampleMaps();

const NOON = Date.UTC(2024, 4, 10, 12);
const AU_M = 149_597_870_700;
const RAD = Math.PI / 180;

/** A square picture 2400 arcseconds wide with the Sun off its centre by fractions of a pixel. */
const framing = (size: number): Framing => ({
  width: size,
  height: size,
  scaleArcsecPerPixel: 2400 / size,
  sunX: size / 2 + 3.27,
  sunY: size / 2 - 4.61,
});

/** Radius of the limb in pixels, 959.63 arcseconds at 1 au. */
const limbOf = (place: 'earth' | 'stereoA', timeMs: number, { scaleArcsecPerPixel }: Framing) =>
  ((959.63 / scaleArcsecPerPixel) * AU_M) / observerAt(place, timeMs).distanceM;

/** Where brightness falls through half of that just inside, along rays from a point; fitted by a circle (least squares). */
function fitLimb(image: GreyImage, fromX: number, fromY: number, guess: number) {
  const at = (x: number, y: number) => {
    const [ix, iy] = [Math.floor(x), Math.floor(y)];
    const sample = (u: number, v: number) => image.samples[v * image.width + u] ?? 0;
    const top = sample(ix, iy) * (1 - x + ix) + sample(ix + 1, iy) * (x - ix);
    return top + (sample(ix, iy + 1) * (1 - x + ix) + sample(ix + 1, iy + 1) * (x - ix) - top) * (y - iy);
  };
  const crossings = Array.from({ length: 72 }, (_, k) => {
    const [ux, uy] = [Math.cos(k * 5 * RAD), Math.sin(k * 5 * RAD)];
    const half = at(fromX + ux * (guess - 3), fromY + uy * (guess - 3)) / 2;
    let r = guess - 3;
    while (at(fromX + ux * r, fromY + uy * r) > half) r += 0.02;
    return [ux * r, uy * r, r] as const;
  });
  const mean = (pick: (crossing: readonly [number, number, number]) => number) =>
    crossings.reduce((sum, crossing) => sum + pick(crossing), 0) / crossings.length;
  return { x: fromX + 2 * mean(([x, , r]) => (x / r) * r), y: fromY + 2 * mean(([, y]) => y), radius: mean(([, , r]) => r) };
}

/** Mean grey of the 3x3 pixels around a heliographic place, by the plain perspective formulas. */
function greyAt(image: GreyImage, frame: Framing, timeMs: number, stonyhurstDeg: number, latitudeDeg: number): number {
  const { latitudeDeg: b0, distanceM } = observerAt('earth', timeMs);
  const [c, s] = [Math.cos(latitudeDeg * RAD), Math.sin(latitudeDeg * RAD)];
  const [west, ahead] = [c * Math.sin(stonyhurstDeg * RAD), c * Math.cos(stonyhurstDeg * RAD)];
  const up = s * Math.cos(b0 * RAD) - ahead * Math.sin(b0 * RAD);
  const distance = distanceM / 695_990_000 - (s * Math.sin(b0 * RAD) + ahead * Math.cos(b0 * RAD));
  const arcsec = (value: number) => (Math.atan2(value, distance) / RAD) * 3600;
  const x = Math.round(frame.sunX - 1 + arcsec(west) / frame.scaleArcsecPerPixel);
  const y = Math.round(frame.height - frame.sunY - arcsec(up) / frame.scaleArcsecPerPixel);
  let sum = 0;
  for (let v = -1; v <= 1; v++) for (let u = -1; u <= 1; u++) sum += image.samples[(y + v) * image.width + x + u] ?? 0;
  return sum / 9;
}

const regionNumber = (timeMs: number, number: number) => {
  const placed = placedRegions(timeMs).find(({ feature }) => feature.number === number);
  if (!placed) throw new Error(`no region ${number}`);
  return placed;
};

/** Stonyhurst longitude and latitude of the leading (west) and trailing ends of a region. */
function endsOf(timeMs: number, number: number) {
  const { feature, stonyhurstDeg, latitudeDeg } = regionNumber(timeMs, number);
  const dx = ((feature.sizeDeg / 2) * Math.cos(feature.tiltDeg * RAD)) / Math.cos(latitudeDeg * RAD);
  const dy = -Math.sign(latitudeDeg) * (feature.sizeDeg / 2) * Math.sin(feature.tiltDeg * RAD);
  return { leading: [stonyhurstDeg + dx, latitudeDeg + dy], trailing: [stonyhurstDeg - dx, latitudeDeg - dy] } as const;
}

describe('the sample Sun', () => {
  it('shows a round limb at the position and radius of the header', () => {
    for (const place of ['earth', 'stereoA'] as const) {
      const frame = framing(320);
      const image = renderSun('continuum', place, NOON, frame);
      const expected = { x: frame.sunX - 1, y: frame.height - frame.sunY, radius: limbOf(place, NOON, frame) };
      const fitted = fitLimb(image, expected.x, expected.y, expected.radius);
      expect(Math.abs(fitted.x - expected.x)).toBeLessThan(0.3);
      expect(Math.abs(fitted.y - expected.y)).toBeLessThan(0.3);
      expect(Math.abs(fitted.radius - expected.radius)).toBeLessThan(0.5);
    }
  });

  it('darkens towards the limb in white light and brightens there in 193', () => {
    const frame = framing(256);
    const ringMean = (image: GreyImage, from: number, to: number) => {
      const limb = limbOf('earth', NOON, frame);
      const inside = [...image.samples].filter((_, i) => {
        const r = Math.hypot((i % 256) - frame.sunX + 1, Math.floor(i / 256) - 256 + frame.sunY) / limb;
        return r >= from && r < to;
      });
      return inside.reduce((sum, value) => sum + value, 0) / inside.length;
    };
    const [white, corona] = [renderSun('continuum', 'earth', NOON, frame), renderSun('euv193', 'earth', NOON, frame)];
    expect(ringMean(white, 0.9, 0.97)).toBeLessThan(0.85 * ringMean(white, 0, 0.3));
    expect(ringMean(corona, 0.94, 0.99)).toBeGreaterThan(1.2 * ringMean(corona, 0, 0.3));
    expect(ringMean(corona, 1.02, 1.08)).toBeGreaterThan(10);
    expect(ringMean(white, 1.02, 1.08)).toBe(0);
  });

  it('turns by the rate of each latitude: 2.894 - 0.428 sin2 - 0.370 sin4 microradians per second, less the Earth', () => {
    for (const number of [99_101, 99_102, 99_105]) {
      const [before, after] = [regionNumber(NOON - DAY_MS, number), regionNumber(NOON + DAY_MS, number)];
      const s2 = Math.sin(before.latitudeDeg * RAD) ** 2;
      const siderealDegPerDay = (2.894 - 0.428 * s2 - 0.37 * s2 * s2) * 1e-6 * 86_400 * (180 / Math.PI);
      expect(wrap180(after.stonyhurstDeg - before.stonyhurstDeg) / 2).toBeCloseTo(siderealDegPerDay - 0.9856, 1);
    }
  });

  it('shows both polarities of a region where they are, on two days', () => {
    const frame = framing(400);
    for (const timeMs of [NOON - DAY_MS, NOON + DAY_MS]) {
      const image = renderSun('magnetogram', 'earth', timeMs, frame);
      for (const [number, leads] of [
        [99_101, -1],
        [99_102, 1],
      ] as const) {
        const { leading, trailing } = endsOf(timeMs, number);
        expect(leads * (greyAt(image, frame, timeMs, ...leading) - 128)).toBeGreaterThan(50);
        expect(leads * (greyAt(image, frame, timeMs, ...trailing) - 128)).toBeLessThan(-50);
      }
    }
  });

  it('gives each hemisphere its leading polarity, and swaps them from one cycle to the next', () => {
    for (const [year, north] of [
      [2024, 1],
      [2014, -1],
      [2001, 1],
    ] as const) {
      const leads = placedRegions(Date.UTC(year, 1, 1)).map(
        ({ feature }) => feature.leadingPolarity * Math.sign(feature.latitudeDeg),
      );
      expect(leads.length).toBeGreaterThan(4);
      expect(new Set(leads)).toEqual(new Set([north]));
    }
  });

  it('shows its spots and its bright corona in the same region', () => {
    const frame = framing(400);
    const { leading } = endsOf(NOON, 99_101);
    const { stonyhurstDeg, latitudeDeg } = regionNumber(NOON, 99_101);
    expect(greyAt(renderSun('continuum', 'earth', NOON, frame), frame, NOON, ...leading)).toBeLessThan(130);
    const corona = renderSun('euv193', 'earth', NOON, frame);
    expect(greyAt(corona, frame, NOON, stonyhurstDeg, latitudeDeg)).toBeGreaterThan(
      1.7 * greyAt(corona, frame, NOON, stonyhurstDeg, 5),
    );
  });

  it('looks dark in 193 inside coronal holes', () => {
    const frame = framing(400);
    const corona = renderSun('euv193', 'earth', NOON, frame);
    const holes = placedHoles(NOON).filter(({ stonyhurstDeg, latitudeDeg }) => Math.hypot(stonyhurstDeg, latitudeDeg) < 60);
    expect(holes.length).toBeGreaterThan(0);
    for (const hole of holes) expect(greyAt(corona, frame, NOON, hole.stonyhurstDeg, hole.latitudeDeg)).toBeLessThan(62);
  });

  it('brightens in 131 during a flare', () => {
    const flare = flaresBetween(NOON - DAY_MS / 2, NOON + DAY_MS / 2).reduce((a, b) => (a.peakFlux > b.peakFlux ? a : b));
    const frame = framing(256);
    const brightest = (timeMs: number) =>
      renderSun('euv131', 'earth', timeMs, frame).samples.filter((value) => value > 200).length;
    expect(flare.peakFlux).toBeGreaterThan(1e-4);
    expect(brightest(flare.peakMs)).toBeGreaterThan(brightest(flare.startMs - 600_000) + 20);
  });

  it('ejects matter that crosses the field of a coronagraph', () => {
    const frame = { width: 256, height: 256, scaleArcsecPerPixel: 47.6, sunX: 128.5, sunY: 128.5 };
    const light = (hours: number) =>
      renderSun('lascoC2', 'lagrange1', NOON - DAY_MS / 2 + hours * 3_600_000, frame).samples.reduce(
        (sum, value) => sum + value,
        0,
      );
    expect(light(8)).toBeGreaterThan(1.02 * light(6));
    const centre = renderSun('lascoC2', 'lagrange1', NOON, frame).samples[128 * 256 + 128];
    expect(centre).toBe(0);
  });

  it('draws the same pixels every time', () => {
    const draw = () => renderSun('euv171', 'earth', NOON + 1234, framing(96)).samples;
    const first = draw();
    renderSun('euv171', 'earth', NOON + 5 * DAY_MS, framing(96));
    expect(draw()).toEqual(first);
  });
});

describe('observers of the sample Sun', () => {
  it('see it from where Meeus has the Earth: example 29.a, 1992 October 13', () => {
    const observer = observerAt('earth', Date.UTC(1992, 9, 13));
    expect(observer.latitudeDeg).toBeCloseTo(5.99, 1);
    expect(Math.abs(observer.longitudeDeg - 238.63)).toBeLessThan(0.1);
    expect(observer.distanceM / AU_M).toBeCloseTo(0.9976, 3);
  });

  it('stand around the Sun: STEREO A ahead of the Earth, STEREO B behind', () => {
    const atTime = Date.UTC(2011, 1, 6);
    const [earth, ahead, behind] = (['earth', 'stereoA', 'stereoB'] as const).map(
      (place) => observerAt(place, atTime).longitudeDeg,
    );
    expect(wrap180((ahead ?? 0) - (earth ?? 0))).toBeCloseTo(89, -1);
    expect(wrap180((behind ?? 0) - (earth ?? 0))).toBeCloseTo(-90, -1);
  });
});
