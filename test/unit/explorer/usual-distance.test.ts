import { describe, expect, it } from 'vitest';
import { usualDistance } from '../../../src/web/explorer/model/usual-distance.ts';

const HOURS = 9 * 24;
/** Images of each hour of nine days. */
const hourly = (countOf: (hour: number) => number) => Array.from({ length: HOURS }, (_, hour) => countOf(hour));

describe('the usual distance of a source', () => {
  it('equals the cadence of images that come all day, also around an outage of three hours', () => {
    expect(
      usualDistance(
        hourly(() => 100),
        36,
      ),
    ).toBe(36);
    expect(
      usualDistance(
        hourly((hour) => (hour >= 50 && hour < 53 ? 0 : 100)),
        36,
      ),
    ).toBe(36);
    expect(
      usualDistance(
        hourly(() => 5),
        720,
      ),
    ).toBe(720);
  });

  it('follows the pauses between bursts of XRT and IRIS', () => {
    // Two images a minute apart, twice a day: the nearest ones are up to six hours away.
    expect(
      usualDistance(
        hourly((hour) => (hour % 12 === 0 ? 2 : 0)),
        60,
      ),
    ).toBe(7 * 3600);
    // Programmes of five hours with pauses of three.
    expect(
      usualDistance(
        hourly((hour) => (hour % 8 < 5 ? 60 : 0)),
        20,
      ),
    ).toBe(3 * 3600);
  });

  it('follows the night for an observatory on the ground', () => {
    expect(
      usualDistance(
        hourly((hour) => (hour % 24 < 10 ? 240 : 0)),
        15,
      ),
    ).toBe(8 * 3600);
  });

  it('equals an hour for bursts in every hour', () => {
    expect(
      usualDistance(
        hourly(() => 20),
        30,
      ),
    ).toBe(3600);
  });

  it('equals the cadence without images to learn it from, and for an archive of a few hours', () => {
    expect(usualDistance([], 60)).toBe(60);
    expect(
      usualDistance(
        hourly(() => 0),
        60,
      ),
    ).toBe(60);
    expect(
      usualDistance(
        hourly((hour) => (hour >= 100 && hour < 103 ? 1 : 0)),
        3600,
      ),
    ).toBe(3600);
  });
});
