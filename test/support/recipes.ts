// Arbitrary recipes and parts of recipes, covering every result of parsing.

import fc from 'fast-check';
import { canonicalSelection } from '../../src/picture/events/selection.ts';
import { sunCentre, TILE_SIZE, type TileAddress, tileGrid } from '../../src/picture/grids/pixel-grid.ts';
import type { Layer } from '../../src/picture/layers.ts';
import { type Difference, TIME_UNITS } from '../../src/picture/operations/difference.ts';
import { type Filter, refusalOfMagnetogram } from '../../src/picture/operations/filter.ts';
import { withoutFull } from '../../src/picture/operations/range.ts';
import { TINT_NAMES, tintOf } from '../../src/picture/operations/tint.ts';
import { parseOverlays } from '../../src/picture/overlays/overlays.ts';
import { type EventSelection, type Picture, parseRegion, type SourceSelection } from '../../src/picture/picture.ts';
import { parseProjection } from '../../src/picture/projection.ts';
import { Failure } from '../../src/platform/util/errors.ts';
import { allSources } from '../../src/sun/catalogue/sources.ts';
import type { Region } from '../../src/sun/coordinates/picture-plane.ts';
import { EVENT_TYPES, nameKey } from '../../src/sun/events/event-types.ts';
import type { ImageGeometry } from '../../src/sun/image.ts';

const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_INSTANT = new Date(0).setUTCFullYear(0, 0, 1);

/** Instants of the date notation, in whole milliseconds. */
export const instants = fc.integer({ min: FIRST_INSTANT, max: LAST_INSTANT });

export const differences: fc.Arbitrary<Difference> = fc.oneof(
  fc
    .record({ kind: fc.constant('running' as const), count: fc.integer(), unit: fc.constantFrom(...TIME_UNITS) })
    .map((running) => ({ ...running, count: running.count % 1_000_000_000 || 1 })),
  fc.record({ kind: fc.constantFrom('base' as const, 'ratio' as const), atMs: instants }),
);

const ranges = fc
  .record({
    low: fc.integer({ min: 0, max: 254 }),
    span: fc.integer({ min: 1, max: 254 }),
    hundredths: fc.integer({ min: 20, max: 500 }),
  })
  .map(({ low, span, hundredths }) => ({ low, high: Math.min(low + span, 255), gamma: hundredths / 100 }))
  .filter((range) => withoutFull(range) !== undefined);

const upsilons = fc.integer({ min: 5, max: 400 }).map((hundredths) => hundredths / 100);

const filters: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ name: fc.constant('rhef' as const), low: upsilons, high: upsilons }),
  fc.record({ name: fc.constantFrom('nrgf' as const, 'mgn' as const) }),
);

const tints = fc
  .oneof(fc.constantFrom(...TINT_NAMES), fc.stringMatching(/^#?([0-9a-fA-F]{3}){1,2}$/))
  .map((text) => tintOf(text)!);

export const layers: fc.Arbitrary<Layer[]> = fc.array(
  fc
    .record({
      sourceId: fc.constantFrom(...allSources.map((source) => source.id)),
      isVisible: fc.constant(true),
      opacity: fc.integer({ min: 1, max: 10_000 }).map((hundredths) => hundredths / 100),
      difference: fc.option(differences, { nil: undefined }),
      range: fc.option(ranges, { nil: undefined }),
      steady: fc.constantFrom(undefined, true as const),
      filter: fc.option(filters, { nil: undefined }),
      tint: fc.option(tints, { nil: undefined }),
      blend: fc.constantFrom(undefined, 'add' as const),
    })
    .map((layer) => (refusalOfMagnetogram(layer.sourceId) ? { ...layer, steady: undefined, filter: undefined } : layer)),
  { minLength: 1, maxLength: 5 },
);

const frms = fc
  .array(fc.constantFrom(...'AZaz09_.()+-'), { minLength: 1, maxLength: 60 })
  .map((characters) => characters.join(''))
  .filter((name) => name !== 'all');

const ids = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

const pathNames = fc.array(fc.constantFrom(...'AZaz09_.()+-é'), { minLength: 1, maxLength: 20 }).map((parts) => parts.join(''));

function selectionOf(source: SourceSelection['source']): fc.Arbitrary<SourceSelection> {
  const concepts = EVENT_TYPES.filter((type) => type.source === source).map((type) => nameKey(type.concept));
  const concept = fc.constantFrom(...concepts);
  const byPin = fc.oneof(fc.tuple(concept), fc.tuple(concept, frms), fc.tuple(concept, frms, ids));
  const entry = { source: fc.constant(source), labels: fc.boolean() };
  return fc.oneof(
    fc.record({ ...entry, notation: fc.constant('pins' as const), paths: fc.array(byPin, { maxLength: 6 }) }),
    fc.record({
      ...entry,
      notation: fc.constant('paths' as const),
      paths: fc.array(fc.array(pathNames, { maxLength: 6 }), { maxLength: 6 }),
    }),
  );
}

export const eventSelections: fc.Arbitrary<EventSelection> = fc
  .tuple(selectionOf('HEK'), selectionOf('CCMC'), selectionOf('RHESSI'), selectionOf('WSA'))
  .map(canonicalSelection);

const arcseconds = fc.double({ min: -1e8, max: 1e8, noNaN: true });
const scales = fc.double({ min: 0.001, max: 100_000, noNaN: true });
const sides = fc.double({ min: 0.5, max: 32_768, noNaN: true });

/** Fields of view by centre, from one pixel to eight times too large. */
export const centreForms = fc.record({ imageScale: scales, x0: arcseconds, y0: arcseconds, width: sides, height: sides });

const bodyLists = fc
  .subarray(['soho-mercury', 'stereo_a-earth', 'earth-psp', 'stereo_b-stereo_a', 'soho-venus'])
  .map((pairs) => pairs.join());

export const recipes: fc.Arbitrary<Picture> = fc
  .record({
    atMs: instants,
    layers,
    field: centreForms.map(parseRegion),
    events: eventSelections,
    overlays: fc
      .record({
        watermark: fc.boolean(),
        scale: fc.boolean(),
        scaleType: fc.constantFrom('earth', 'scalebar', 'disabled'),
        scaleX: fc.oneof(fc.constant(-0), arcseconds),
        scaleY: fc.oneof(fc.constant(0), arcseconds),
        movieIcons: fc.boolean(),
        grid: fc.boolean(),
        celestialBodiesLabels: bodyLists,
        celestialBodiesTrajectories: bodyLists,
      })
      .map(parseOverlays),
    grey: fc.boolean(),
    switchSources: fc.boolean(),
    projection: fc.constantFrom('plane', 'sphere,20.5,-5', 'sphere,1,2,0.3', 'radial,0.5', 'polar,south', 'observer,mars'),
  })
  .map(({ field, grey, layers, projection, ...rest }) => ({
    ...rest,
    ...(projection === 'plane' ? {} : { projection: parseProjection(projection) }),
    ...field,
    layers: layers.map((layer) => (grey ? { ...layer, grey } : layer)),
  }));

/** The region of a tile: at the tile's scale its grid equals that of the tile up to rounding. */
export function tileRegion(
  image: Pick<ImageGeometry, 'width' | 'height' | 'scaleArcsecPerPixel' | 'refPixelX' | 'refPixelY'>,
  tile: TileAddress,
): Region {
  const sun = sunCentre(image);
  const { left, top } = tileGrid(image, tile);
  const x = (left - sun.x) * image.scaleArcsecPerPixel;
  const y = (top - sun.y) * image.scaleArcsecPerPixel;
  const side = TILE_SIZE * tile.imageScale;
  return { left: x, top: y, right: x + side, bottom: y + side };
}

/** The failure thrown by `act`. */
export function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('Expected a failure, got none.');
}
