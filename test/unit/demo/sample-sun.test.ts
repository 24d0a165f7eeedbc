import { expect, it } from 'vitest';
import { renderSun } from '../../../demo/image-file.ts';
import { wrap180 } from '../../../demo/sun/features.ts';
import { observerAt } from '../../../demo/sun/observer.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { placedRegions } from '../../support/sample-features.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';

useSampleMaps();

const NOON = Date.UTC(2024, 4, 10, 12);

// test/golden compares the looks pixel by pixel, test/unit/rendering the places of limbs and regions, events.test.ts those of all features.
it('the sample Sun gives each hemisphere its leading polarity, and swaps them from one cycle to the next', () => {
  for (const [year, north] of Object.entries({ 2001: 1, 2014: -1, 2024: 1 })) {
    const leads = placedRegions(Date.UTC(Number(year), 1, 1)).map(
      ({ feature }) => feature.leadingPolarity * Math.sign(feature.latitudeDeg),
    );
    expect(leads.length).toBeGreaterThan(4);
    expect(new Set(leads)).toEqual(new Set([north]));
  }
});

it('the sample Sun ejects matter that crosses the field of a coronagraph', () => {
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

it('observers of the sample Sun stand around the Sun: STEREO A ahead of the Earth, STEREO B behind', () => {
  const atTime = Date.UTC(2011, 1, 6);
  const [earth, ahead, behind] = (['earth', 'stereoA', 'stereoB'] as const).map(
    (place) => observerAt(place, atTime).longitudeDeg,
  );
  expect(wrap180((ahead ?? 0) - (earth ?? 0))).toBeCloseTo(89, -1);
  expect(wrap180((behind ?? 0) - (earth ?? 0))).toBeCloseTo(-90, -1);
});
