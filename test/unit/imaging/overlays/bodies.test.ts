import { describe, expect, it } from 'vitest';
import { bodiesRecord, glossaryRecord } from '../../../../src/faces/bodies/bodies.ts';
import { seenBodies } from '../../../../src/picture/overlays/bodies.ts';
import { frameOverlays } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import type { Overlay } from '../../../../src/picture/overlays/overlay.ts';
import { parseOverlays } from '../../../../src/picture/overlays/overlays.ts';
import { DAY_MS } from '../../../../src/platform/util/durations.ts';
import { solarSystemOf } from '../../../../src/sun/bodies/solar-system.ts';
import { drawOverlays, expectInkInBox, overlaid } from '../../../support/imaging/overlays.ts';

/** Two days after Venus passed behind the Sun. */
const NOON = Date.UTC(2024, 5, 6, 12);
const SOLAR_SYSTEM = solarSystemOf();
const FRAME = { width: 600, height: 400 };
/** A picture around the Sun. */
const VIEW = { scale: 60, left: -18_000, top: -12_000 };

interface Selected {
  readonly labels?: string | undefined;
  readonly trajectories?: string | undefined;
}

interface Shown extends Selected {
  readonly atMs?: number;
  readonly view?: typeof VIEW;
  readonly magnification?: number;
}

const seen = ({ labels, trajectories }: Selected, atMs = NOON, solarSystem = SOLAR_SYSTEM) => {
  const { bodies } = parseOverlays({ celestialBodiesLabels: labels, celestialBodiesTrajectories: trajectories });
  return seenBodies(solarSystem, bodies!, atMs);
};

function overlaysOf({ labels, trajectories, atMs, view = VIEW, magnification = 1 }: Shown): Overlay[] {
  const parameters = { celestialBodiesLabels: labels, celestialBodiesTrajectories: trajectories };
  const recipe = overlaid({ ...FRAME, ...view }, parameters, magnification);
  return frameOverlays(recipe, { bodies: seen({ labels, trajectories }, atMs) });
}

interface Position {
  readonly x: number;
  readonly y: number;
  readonly distance_sun_to_observer_au: number;
}

const positionOf = (body: string, atMs = NOON): Position => {
  const { labels } = bodiesRecord(SOLAR_SYSTEM, ['soho'], atMs);
  return labels.soho![body] as Position;
};

/** The pixel in which the official client puts a position of getSolarBodies, by its own constants. */
function clientPixel({ x, y, distance_sun_to_observer_au: distance }: Position, { scale, left, top }: typeof VIEW) {
  const radians = Math.PI / 180 / 3600;
  const perRadian = (distance * 149_597_000_000) / 724_910;
  const [west, north] = [perRadian * Math.tan(x * radians), (perRadian * Math.tan(y * radians)) / Math.cos(x * radians)];
  return { x: (west - left) / scale, y: (-north - top) / scale };
}

const textAt = ({ x, y, svg }: Overlay) => {
  const [, left, baseline, text] = /<text x="([\d.-]+)" y="([\d.-]+)"[^>]*>([^<]+)</.exec(svg)!;
  return { x: x + Number(left), y: y + Number(baseline), text };
};

it('the names of celestial bodies stand where the web client puts them, also in a frame with magnified overlays', () => {
  const [venus] = overlaysOf({ labels: 'soho-venus' }).map(textAt);
  const place = clientPixel(positionOf('venus'), VIEW);
  expect(venus!.text).toBe('Venus');
  expect(Math.abs(venus!.x - (place.x - 2))).toBeLessThan(1);
  expect(Math.abs(venus!.y - (place.y + 12))).toBeLessThan(1);
  const [plain] = overlaysOf({ labels: 'soho-venus' });
  const [magnified] = overlaysOf({ labels: 'soho-venus', magnification: 2 });
  expect(magnified!.svg).toContain('scale(2)');
  const moved = Number(/translate\(([\d.-]+)/.exec(magnified!.svg)![1]);
  expect(Math.abs(magnified!.x + moved + 2 * 3 - (plain!.x + 3) + 2)).toBeLessThan(2.1);
});

it('the names of celestial bodies appear for bodies in view of their observer, inside the frame', () => {
  const planets = glossaryRecord(SOLAR_SYSTEM).observers.soho!;
  const names = seen({ labels: planets.map((planet) => `soho-${planet}`).join() }).labels.map(({ name }) => name);
  const inView = planets.filter((planet) => positionOf(planet) !== null);
  expect(names.map((name) => name.toLowerCase())).toEqual(inView);
  expect(names).toContain('Venus');
  expect(names.length).toBeLessThan(planets.length);
  expect(seen({ labels: 'soho-psp,soho-earth,stereo_a-venus' }).labels).toEqual([]);
  expect(overlaysOf({ labels: 'soho-venus', view: { ...VIEW, left: 5_000 } })).toEqual([]);
});

it('the names of celestial bodies stay in the frame at its right and lower edge', () => {
  const { x, y } = clientPixel(positionOf('venus'), VIEW);
  // Venus 5 pixels from the lower right corner.
  const [left, top] = [VIEW.left + (x - FRAME.width + 5) * VIEW.scale, VIEW.top + (y - FRAME.height + 5) * VIEW.scale];
  const [label] = overlaysOf({ labels: 'soho-venus', view: { ...VIEW, left, top } });
  expect(label!.x + label!.width).toBeLessThanOrEqual(FRAME.width + 3);
  expect(textAt(label!).y).toBeLessThan(FRAME.height - 4);
});

it('the names of celestial bodies stay in their boxes, outline included', async () => {
  const [label] = overlaysOf({ labels: 'soho-jupiter', atMs: Date.UTC(2024, 4, 18) });
  await expectInkInBox(label!);
});

describe('the trajectories of celestial bodies', () => {
  const pixelsOf = async (shown: Shown): Promise<Uint8Array> => {
    const pixels = new Uint8Array(FRAME.width * FRAME.height * 3);
    await drawOverlays({ pixels, y0: 0, ...FRAME }, FRAME, overlaysOf(shown));
    return pixels;
  };

  it('draw a dot where the web client does for each point', async () => {
    const { trajectories } = bodiesRecord(SOLAR_SYSTEM, ['soho'], NOON);
    const behind = Object.values(trajectories.soho!.venus! as Record<string, Position>);
    const inFrame = behind.map((position) => clientPixel(position, VIEW)).filter(({ x }) => x > 5 && x < FRAME.width - 5);
    const pixels = await pixelsOf({ trajectories: 'soho-venus' });
    const at = (pixels: Uint8Array, { x, y }: { x: number; y: number }) =>
      pixels[3 * (Math.round(y) * FRAME.width + Math.round(x))];
    expect(inFrame.length).toBeGreaterThan(20);
    expect(inFrame.map((point) => at(pixels, point))).toEqual(inFrame.map(() => 0x80));
  });

  it('show dashes behind the Sun and a line in front, and meet where a body passes the plane of the Sun', () => {
    const parts = Array.from(
      { length: 40 },
      (_, i) => seen({ trajectories: 'soho-mercury' }, NOON + i * 5 * DAY_MS).trajectories,
    );
    const passing = parts.filter((of) => of.length > 1);
    for (const of of passing) expect(of[1]!.points[0]).toEqual(of[0]!.points.at(-1));
    const both =
      overlaysOf({ trajectories: 'soho-venus' })[0]!.svg +
      overlaysOf({ trajectories: 'soho-mercury', atMs: Date.UTC(2025, 2, 24) })[0]!.svg;
    expect(both).toMatch(/stroke="#808080" stroke-dasharray="3 2"\/>/);
    expect(both).toMatch(/stroke="#a0a0a0"\/>/);
  });

  it('stay the same during a conjunction, though their frames have different times', () => {
    const early = overlaysOf({ trajectories: 'soho-venus' });
    const fresh = seen({ trajectories: 'soho-venus' }, NOON + 3 * DAY_MS + 1234, solarSystemOf());
    expect(overlaysOf({ trajectories: 'soho-venus', atMs: NOON + 3 * DAY_MS + 1234 })).toEqual(early);
    expect(fresh).toEqual(seen({ trajectories: 'soho-venus' }));
  });

  it('need markup for what is in the frame, at the finest scale and at the farthest place', () => {
    const bodies = { labels: 'soho-venus', trajectories: 'soho-venus' };
    const { x, y } = seen(bodies).labels[0]!;
    const [way, label] = overlaysOf({ ...bodies, view: { scale: 0.001, left: x - 0.3, top: y - 0.2 } });
    expect(way!.svg.length).toBeLessThan(500);
    expect(way!.width).toBeLessThanOrEqual(FRAME.width + 12);
    expect(textAt(label!).text).toBe('Venus');
    expect(overlaysOf({ ...bodies, view: { scale: 0.001, left: 1e8, top: -1e8 } })).toEqual([]);
  });

  it('lie below the names, which have the planet nearest to the Sun on top', () => {
    const both = 'soho-venus,soho-mercury';
    const atMs = Date.UTC(2024, 5, 14, 12);
    const overlays = overlaysOf({ labels: both, trajectories: both, atMs });
    expect(overlays.map(({ svg }) => />(\w+)</.exec(svg)?.[1] ?? 'ways')).toEqual(['ways', 'Venus', 'Mercury']);
  });
});
