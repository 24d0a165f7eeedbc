// The golden images: recipes over the sample archive, which is generated from its seed on every run.
import type { Shot } from '../../demo/instruments/instrument.ts';
import { findInstrument } from '../../demo/instruments/instruments.ts';
import type { FrameMarkers } from '../../src/archive/drawing/frame-renderer.ts';
import type { MovieRecipe } from '../../src/movies/movie-recipe.ts';
import { sunCentre } from '../../src/picture/grids/pixel-grid.ts';
import { seenBodies } from '../../src/picture/overlays/bodies.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../src/picture/recipe.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { solarSystemOf } from '../../src/sun/bodies/solar-system.ts';
import { allSources } from '../../src/sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../src/sun/image.ts';

export interface GoldenCase {
  readonly name: string;
  readonly title: string;
  readonly shots: readonly Shot[];
  /** A function of the first image if the field of view depends on it. */
  readonly parameters: ScreenshotParameters | ((image: ArchivedImage) => ScreenshotParameters);
  readonly markers?: FrameMarkers;
  /** For a frame of a movie. */
  readonly movie?: Pick<MovieRecipe, 'followViewport' | 'viewedAtMs' | 'overlayMagnification'>;
}

const SIZE = 256;
const NOON = Date.parse('2024-05-10T12:00:00Z');

const shot = (sourceId: number, timeMs = NOON, size = SIZE): Shot => ({ sourceId, timeMs, size });
const field = (imageScale: number, width: number, height: number) => ({ imageScale, x0: 0, y0: 0, width, height });
const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** The field of view of a whole image on `side` pixels. */
function wholeImage({ geometry }: ArchivedImage, side: number) {
  const sun = sunCentre(geometry);
  const scale = geometry.scaleArcsecPerPixel;
  const imageScale = (scale * Math.max(geometry.width, geometry.height)) / side;
  return {
    imageScale,
    x0: (geometry.width / 2 - sun.x) * scale,
    y0: (geometry.height / 2 - sun.y) * scale,
    width: side,
    height: side,
  };
}

/** The first source of each colour table in the sample. */
function colourTableCases(): GoldenCase[] {
  const seen = new Set<string>();
  return allSources.flatMap((source): GoldenCase[] => {
    const table = source.colourTable ?? 'grey';
    if (seen.has(table) || source.id > 10_000 || !findInstrument(source.id)) return [];
    seen.add(table);
    return [
      {
        name: `colour-${slug(table)}`,
        title: `${source.nickname} with its colour table (${table})`,
        shots: [shot(source.id)],
        parameters: (image) => ({ date: NOON, layers: `[${source.id},1,100]`, ...wholeImage(image, 96), watermark: false }),
      },
    ];
  });
}

const MASKED: readonly (readonly [id: number, imageScale: number])[] = [
  [4, 75],
  [5, 360],
  [28, 45],
  [29, 190],
  [30, 45],
  [31, 190],
  [83, 36],
];

const maskCases = (): GoldenCase[] =>
  MASKED.map(([id, imageScale]) => {
    const { nickname } = allSources.find((source) => source.id === id)!;
    return {
      name: `mask-${slug(nickname)}`,
      title: `the ring of ${nickname}, with a chromosphere behind its occulter`,
      shots: [shot(13), shot(id, id === 30 || id === 31 ? Date.parse('2013-05-10T12:00:00Z') : NOON)],
      parameters: { date: NOON, layers: `[13,1,100],[${id},1,100]`, ...field(imageScale, 192, 192), watermark: false },
    };
  });

const differenceCases = (): GoldenCase[] => [
  {
    name: 'difference-running',
    title: 'a running difference of AIA 193 over six hours of solar rotation',
    shots: [shot(11, NOON - 6 * HOUR_MS), shot(11)],
    parameters: { date: NOON, layers: '[11,1,100,1,6,2]', ...field(8, 320, 256) },
  },
  ...(
    [
      ['base', 2, 'difference'],
      ['ratio', 3, 'ratio'],
    ] as const
  ).map(([name, code, what]) => ({
    name: `difference-${name}`,
    title: `a base ${what} of LASCO C2 during a CME`,
    shots: [shot(4, Date.parse('2024-05-10T06:00:00Z')), shot(4, Date.parse('2024-05-10T09:00:00Z'))],
    parameters: {
      date: Date.parse('2024-05-10T09:00:00Z'),
      layers: `[4,1,100,${code},1,1,2024-05-10T06:30:00Z]`,
      ...field(60, 256, 256),
      watermark: false,
    },
  })),
];

const filterCases = (): GoldenCase[] =>
  (
    [
      ['rhef', 10, 'filters=[rhef]'],
      ['rhef-coronagraph', 4, 'filters=[rhef:1]'],
      ['nrgf', 11, 'filters=[nrgf]'],
      ['mgn', 10, 'filters=[mgn]'],
      ['steady', 13, 'steady=[true]'],
    ] as const
  ).map(([name, id, query]) => ({
    name: `filter-${name}`,
    title: `${allSources.find((source) => source.id === id)!.nickname} with ${query}`,
    shots: [shot(id)],
    parameters: (image) => ({
      ...{ date: NOON, layers: `[${id},1,100]`, ...wholeImage(image, 160), watermark: false },
      ...Object.fromEntries(new URLSearchParams(query)),
    }),
  }));

const compositeCases = (): GoldenCase[] => [
  {
    name: 'composite-aia-c2-c3',
    title: 'AIA 171 inside LASCO C2 inside LASCO C3',
    shots: [shot(10), shot(4), shot(5)],
    parameters: { date: NOON, layers: '[10,1,100],[4,1,100],[5,1,100]', ...field(60, 320, 240), watermark: false },
  },
  {
    name: 'composite-hmi-under-aia',
    title: 'the magnetogram under AIA 171 at half opacity',
    shots: [shot(19), shot(10)],
    parameters: { date: NOON, layers: '[19,1,100],[10,1,50]', ...field(9, 256, 256), watermark: false },
  },
];

const EVENTS = [
  {
    pin: 'AR',
    colour: 'FF8F97',
    x: 200,
    y: 150,
    label: ['NOAA 13664', '\u03b2\u03b3\u03b4 2400 \u00b5Hem'],
    polygons: [
      [
        [170, 130],
        [230, 125],
        [240, 165],
        [180, 170],
      ] as const,
    ],
  },
  { pin: 'FL', colour: '7AFFAE', x: 206, y: 156, label: ['X2.1'], polygons: [] },
  { pin: 'CH', colour: 'FEF38E', x: 110, y: 90, label: ['Coronal hole 12\u00b0'], polygons: [] },
];

function bodiesCase(): GoldenCase {
  const planets = 'soho-mercury,soho-venus,soho-jupiter,soho-uranus';
  const bodies = { celestialBodiesLabels: planets, celestialBodiesTrajectories: planets };
  const date = Date.parse('2024-06-04T12:00:00Z');
  const { overlays } = recipeFromScreenshotParameters({ date, layers: '[5,1,100]', ...field(120, 480, 480), ...bodies }).recipe;
  return {
    name: 'overlay-bodies',
    title: 'planets near the Sun with their names and trajectories, and Venus behind it',
    shots: [shot(5, date)],
    parameters: { date, layers: '[5,1,100]', ...field(120, 480, 480), watermark: false, ...bodies },
    markers: { bodies: seenBodies(solarSystemOf(), overlays.bodies!, date) },
  };
}

const overlayCases = (): GoldenCase[] => {
  const base = { shots: [shot(10)], parameters: { date: NOON, layers: '[10,1,100]', ...field(8, 320, 256), watermark: false } };
  const drawn = [
    ['watermark', 'the watermark of a narrow picture', { watermark: true }],
    ['watermark-wide', 'the watermark of a wide picture', { ...field(4, 640, 256), watermark: true }],
    ['earth', 'the Earth to scale', { imageScale: 2, scale: true }],
    ['scale-bar', 'the scale bar', { scale: true, scaleType: 'scalebar' }],
    ['earth-placed', 'the Earth at a requested position', { scale: true, scaleX: 400, scaleY: 600 }],
  ] as const;
  const eclipse = { shots: [shot(4)], parameters: { date: NOON, layers: '[4,1,100]', colour: 'false', ...field(40, 300, 300) } };
  return [
    ...drawn.map(([name, title, more]) => ({
      ...base,
      name: `overlay-${name}`,
      title,
      parameters: { ...base.parameters, ...more },
    })),
    {
      name: 'overlay-grid',
      title: 'the heliographic grid as STEREO-B sees it',
      shots: [shot(24, Date.parse('2013-05-10T12:00:00Z'))],
      parameters: { ...base.parameters, date: Date.parse('2013-05-10T12:00:00Z'), layers: '[24,1,100]', grid: true },
    },
    { ...base, name: 'overlay-events', title: 'events with regions, pins and labels', markers: { events: EVENTS } },
    {
      ...base,
      name: 'overlay-movies',
      title: 'markers of movies',
      parameters: { ...base.parameters, movieIcons: true },
      markers: { movies: [{ x: 160, y: 120, label: 'AIA 171' }] },
    },
    bodiesCase(),
    { ...eclipse, name: 'eclipse-moon', title: 'the eclipse image with the moon', markers: { moon: true } },
    { ...eclipse, name: 'eclipse', title: 'the eclipse image without the moon' },
  ];
};

const movieCases = (): GoldenCase[] => {
  const scene = { date: NOON, layers: '[11,1,100]', grid: true, scale: true };
  return [
    {
      name: 'movie-grid-pins',
      title: 'a frame of a movie with grid, Earth, and pins and outlines of events',
      shots: [shot(11)],
      parameters: { ...scene, ...field(7, 320, 256) },
      markers: { events: EVENTS },
      movie: { followViewport: false, viewedAtMs: null, overlayMagnification: 1 },
    },
    {
      name: 'movie-enlarged',
      title: 'a frame with overlays twice as large, of a region that it has followed for two days',
      shots: [shot(11)],
      parameters: { ...scene, imageScale: 2.5, x0: -500, y0: 200, width: 640, height: 440 },
      markers: { events: EVENTS },
      movie: { followViewport: true, viewedAtMs: NOON - 48 * HOUR_MS, overlayMagnification: 2 },
    },
  ];
};

export const goldenCases: readonly GoldenCase[] = [
  ...colourTableCases(),
  ...maskCases(),
  ...differenceCases(),
  ...filterCases(),
  ...compositeCases(),
  ...overlayCases(),
  ...movieCases(),
];
