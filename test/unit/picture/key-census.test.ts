// A census of keys: what decides on a response or a picture is in each key under which one is kept or shared, and nothing else is.
import { describe, expect, it } from 'vitest';
import { MovingFrameService } from '../../../src/archive/drawing/moving-frames.ts';
import { TileService } from '../../../src/archive/drawing/tile.ts';
import { imageCopyKey } from '../../../src/archive/keys.ts';
import type { ImageRecord } from '../../../src/explorer/api/image-record.ts';
import { contentKey, framesOf } from '../../../src/explorer/picture/frame-layer.ts';
import { operations } from '../../../src/faces/operations.ts';
import { type MovieRecipe, movieRecipeString } from '../../../src/movies/movie-recipe.ts';
import { type Layer, plainLayer } from '../../../src/picture/layers.ts';
import type { LayerOperation } from '../../../src/picture/operations/operation.ts';
import { OPERATIONS, type Operations } from '../../../src/picture/operations/operations.ts';
import { parseOverlays } from '../../../src/picture/overlays/overlays.ts';
import type { Parametrised, PictureParameter } from '../../../src/picture/parameter.ts';
import { addressKey, type Picture, pictureHash, pictureKey } from '../../../src/picture/picture.ts';
import { recipeString } from '../../../src/picture/recipe.ts';
import { openApiDocument } from '../../../src/platform/http/openapi/document.ts';
import { cacheKey } from '../../../src/platform/http/operation.ts';
import { asQuery } from '../../support/good-requests.ts';
import { IMAGES } from '../../support/memory/archived-images.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryFrameRenderer } from '../../support/memory/renderers.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: string;
}

type Query = Readonly<Record<string, string>>;

const DATE = '2024-05-10T11:30:00Z';

/** No region. */
const NOWHERE = { x: '', y: '', width: '', height: '', track: '' };

const DIFFERENCES = [
  { difference: '1', diffCount: '1', diffTime: '2' },
  { difference: '2', baseDiffTime: '2024-05-10T00:00:00Z' },
];

/** Requests besides the examples, for parameters that count only with others; an empty text takes a parameter away. */
const MORE: Readonly<Record<string, readonly Query[]>> = {
  getTile: DIFFERENCES,
  getFrame: DIFFERENCES,
  getFrameTables: [{ filter: 'nrgf' }],
  getClosestImage: [{ date: '2005-01-01T00:00:00Z' }],
  getImageData: [NOWHERE],
  getLightCurve: [{ format: 'fits' }, { format: 'fits', ...NOWHERE }, { format: 'fits', statistics: 'area', threshold: '5' }],
  getTimeDistance: [{ format: 'png' }, { format: 'png', path: '' }, { format: 'png', track: 'rotation' }],
  getDataSources: [{ verbose: 'true' }],
};

/** Values of texts in a notation, where the description has no other example than the request. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    OPERATIONS.flatMap(({ parameters }: LayerOperation) =>
      Object.entries(parameters).flatMap(([name, parameter]) => (parameter.type === 'text' ? [[name, [parameter.example]]] : [])),
    ),
  ),
  callback: ['f', 'g'],
  ids: ['1,2'],
  sourceId: ['10', '13'],
  sources: ['HEK', 'CCMC', '10', '13'],
  dates: ['2024-05-10T12:00:00Z', '2024-05-10T12:10:00Z'],
  eventType: ['FL', 'AR'],
  eventLayers: ['[FL,all,1]', '[AR,all,1]'],
  kb_archivid: ['SPoCA_v1.0_20240510_120000', 'SPoCA_v1.0_20240510_130000'],
  observers: ['soho', 'stereo_a'],
  endTimes: ['1715342400,1715346001', '1715342400,1715346000'],
  startTimes: ['1715338800,1715342401', '1715338800,1715342400'],
  id: ['VXvX5Bcd', 'qFpcNxXJ'],
  enable: ['[STEREO_A]', '[PROBA2]'],
  state_id: ['0'.repeat(64), 'f'.repeat(64)],
  body: ['earth', 'venus'],
  observer: ['earth', 'stereo_a'],
  eventId: ['SPoCA_v1.0_20240510_120000', 'SPoCA_v1.0_20240510_130000'],
  statistics: ['mean', 'p95'],
  circle: ['[0,0,5]', '[0,0,6]'],
  polygon: ['[[0,0],[100,0],[0,100]]', '[[0,0],[90,0],[0,90]]'],
  path: ['[[100,100],[300,200]]', '[[100,100],[300,300]]'],
  radial: ['[270,900,1200]', '[90,900,1200]'],
  imageLayers: ['[10,1,100]', '[13,1,100]'],
};

/** Parameters that change no response of their operation. */
const IRRELEVANT: readonly string[] = [
  'getDataCoverage currentDate',
  // The plot alone is kept.
  'getTimeDistance format',
  // Pictures alone, which have no values.
  'getSolarMap raw',
];

const described = new Map(
  Object.values(openApiDocument(operations.values(), { origin: 'http://sun.test', tags: [] }).paths as object)
    .flatMap((methods) => Object.values(methods) as { operationId: string; parameters?: { name: string; schema: Schema }[] }[])
    .map(({ operationId, parameters = [] }) => [operationId, parameters]),
);

function valuesOf(name: string, schema: Schema, given?: string): readonly string[] {
  const { type, enum: words, format, minimum = 0, maximum = 1, example } = schema;
  if (words) return words;
  if (type === 'boolean') return ['true', 'false'];
  const numbers = [Number(given) + 1, Number(given) / 2, minimum, maximum, (minimum + maximum) / 2];
  if (type === 'integer' || type === 'number')
    return numbers.map((value) => String(type === 'integer' ? Math.floor(value) : value));
  return [
    ...(TEXTS[name] ?? []),
    ...(format === 'date-time' ? [DATE, '2024-05-10T07:00:00Z', '2024-05-10T13:00:00Z'] : []),
    ...(example ? [example] : []),
  ];
}

/** The key of a request in the edge cache; null for one that is not valid. */
function keyIn(name: string, query: Query): string | null {
  try {
    const given = Object.entries(query).filter(([, text]) => text !== '');
    return operations.get(name)!.call('v2', new Map(given.map(([key, text]) => [key, [text]]))).key;
  } catch {
    return null;
  }
}

const cached = [...operations.values()].filter(({ edge, shapes }) => edge !== 'none' && shapes.v2);

const parametersOf = cached.flatMap(({ name, example }) =>
  (described.get(name) ?? []).map(({ name: parameter, schema }) => ({ name, parameter, schema, example: asQuery(example) })),
);

it.each(parametersOf)('the key of $name names $parameter', ({ name, parameter, schema, example }) => {
  const bases = [{}, ...(MORE[name] ?? [])].map((more) => ({ ...example, ...more }));
  const isInKey = bases.some((base) => {
    const keys = valuesOf(parameter, schema, base[parameter]).map((value) => keyIn(name, { ...base, [parameter]: value }));
    return new Set([keyIn(name, base), ...keys].filter((key) => key !== null)).size > 1;
  });
  expect(isInKey).toBe(!IRRELEVANT.includes(`${name} ${parameter}`));
});

/** Another value of each member, which is compared with the picture without it. */
type Others<T> = { readonly [K in keyof T]-?: T[K] };

const RECIPE: Picture = {
  atMs: Date.parse(DATE),
  layers: [plainLayer(10)],
  region: { left: -100, top: -100, right: 100, bottom: 100 },
  imageScaleArcsecPerPixel: 2,
  width: 100,
  height: 100,
  events: [],
  overlays: parseOverlays({}),
  switchSources: false,
};

/** Sides follow from region and scale, and requests have no magnification. */
type Stated<T> = Omit<T, 'width' | 'height' | 'overlayMagnification'>;

const OTHER_RECIPES: Others<Stated<Picture>> = {
  atMs: RECIPE.atMs + 1000,
  layers: [{ ...RECIPE.layers[0]!, opacity: 50 }],
  region: { ...RECIPE.region, left: -200 },
  imageScaleArcsecPerPixel: 4,
  events: [{ source: 'HEK', labels: true, notation: 'pins', paths: [['Flare']] }],
  overlays: parseOverlays({ grid: true }),
  switchSources: true,
  projection: { kind: 'cea' },
};

function sampleOf(parameter: PictureParameter): unknown {
  if (parameter.type === 'text') return parameter.example;
  if (parameter.type === 'choice') return parameter.words.find((word) => word !== parameter.byDefault);
  if (parameter.type === 'integer') return parameter.max;
  return parameter.type === 'date' ? IMAGES.find(({ id }) => id === 26)!.takenAtMs : 1;
}

const samplesOf = ({ parameters }: Parametrised) =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, sampleOf(parameter)]));

/** A value of each operation, read from examples of its parameters. */
const OTHER_OPERATIONS = Object.fromEntries(
  OPERATIONS.map((record: LayerOperation) => {
    const { ofLayers } = record;
    return [
      record.name,
      ofLayers ? ofLayers.read(samplesOf(ofLayers), 2, (failure) => void failure)[0] : record.read(samplesOf(record)),
    ];
  }),
) as Others<Operations>;

/** Canonical strings have visible layers alone. */
const OTHER_LAYERS: Others<Omit<Layer, 'isVisible'>> = { sourceId: 13, opacity: 50, ...OTHER_OPERATIONS };

const MOVIE: MovieRecipe = {
  scene: RECIPE,
  startMs: RECIPE.atMs,
  endMs: RECIPE.atMs + 1000,
  followViewport: false,
  viewedAtMs: null,
  size: 0,
  overlayMagnification: 1,
  frameRate: 15,
};

const OTHER_MOVIES: Others<MovieRecipe> = {
  scene: { ...RECIPE, switchSources: true },
  startMs: 0,
  endMs: RECIPE.atMs + 2000,
  followViewport: true,
  viewedAtMs: RECIPE.atMs,
  size: 1,
  overlayMagnification: 2,
  frameRate: 20,
};

const membersOf = (others: object) => Object.entries(others).map(([member, value]) => ({ member, changed: { [member]: value } }));

/** The makers of keys of one image with its operations. */
const MAKERS: Readonly<Record<string, (layer: Operations) => string | Promise<string>>> = {
  'a response of the edge cache': (layer) => cacheKey('getTile', addressKey({ id: 26, ...layer })),
  'a drawn layer': (layer) => pictureKey([{ image: IMAGES[0], reference: null, ...layer }]),
  'a stored file': (layer) => pictureHash([recipeString({ ...RECIPE, layers: [{ ...RECIPE.layers[0]!, ...layer }] })]),
  'the tiles of a layer': (layer) => contentKey(shownLayer(layer)),
  'the frames of a layer': (layer) => JSON.stringify(framesOf(shownLayer(layer)).map(({ key }) => key)),
};

const shownLayer = (layer: Operations) => {
  const image = { id: 26 } as ImageRecord;
  return { image, reference: null, key: 1, opacity: 100, ...layer };
};

/**
 * Makers of keys that leave out what the page does itself: colours, and operations for which it has a shader or tables. A response of one image has
 * no operation that counts only among layers.
 */
function isLeftOut(maker: string, { parameters, levels, enhances, shader, hasTables }: LayerOperation): boolean {
  if (maker.startsWith('a response')) return Object.keys(parameters).length === 0;
  return (
    maker.endsWith('of a layer') && (!(levels || enhances) || (maker.startsWith('the frames') && Boolean(shader ?? hasTables)))
  );
}

describe.each(Object.entries(MAKERS))('the key of %s', (maker, keyOf) => {
  it.each(OPERATIONS.map((record: LayerOperation) => record))('names $name where it depends on it', async (record) => {
    const key = await keyOf({ [record.name]: OTHER_OPERATIONS[record.name as keyof Operations] });
    expect(key === (await keyOf({}))).toBe(isLeftOut(maker, record));
  });
});

it('the keys of responses and stored files stay as they were', async () => {
  const layer = {
    difference: { kind: 'running', count: 5, unit: 'minute' },
    range: { low: 20, high: 200, gamma: 1.4 },
    grey: true,
  };
  expect(cacheKey('getTile', addressKey({ id: 26, x: -1, imageScale: 2.5, type: undefined, ...layer }))).toBe(
    'getTile?colour=false&diffCount=5&diffTime=1&difference=1&id=26&imageScale=2.5&range=20%2C200%2C1.4&x=-1',
  );
  expect(cacheKey('iiif', addressKey({ id: 26, region: { kind: 'full' } }))).toBe(
    'iiif?id=26&region=%7B%22kind%22%3A%22full%22%7D',
  );
  const copy = { width: 512, type: 'png' };
  expect([copy, { ...copy, type: 'webp', version: 2 }].map((of) => imageCopyKey(23, { sha256: 'ab'.repeat(32) }, of))).toEqual(
    ['512.png', '512.2.webp'].map((name) => `derived/v23/image/${'ab'.repeat(16)}/${name}`),
  );
  expect(await pictureHash([23, 'recipe', [{ atMs: 1, images: [[26]] }]])).toBe(
    '4a0b57700121884712b696cc87e7ba8f5921a009653eddfc6063c6bf7cb85ea5',
  );
});

it.each(membersOf(OTHER_RECIPES))('the canonical string names the $member of a picture', ({ changed }) => {
  expect(recipeString({ ...RECIPE, ...changed })).not.toBe(recipeString(RECIPE));
});

it.each(membersOf(OTHER_LAYERS))('the canonical string names the $member of a layer', ({ changed }) => {
  expect(recipeString({ ...RECIPE, layers: [{ ...RECIPE.layers[0]!, ...changed }] })).not.toBe(recipeString(RECIPE));
});

it('the canonical string leaves out the magnification of a picture, which requests do not state', () => {
  expect(recipeString({ ...RECIPE, overlayMagnification: 2 })).toBe(recipeString(RECIPE));
});

it.each(membersOf(OTHER_MOVIES))('the canonical string names the $member of a movie', ({ changed }) => {
  expect(movieRecipeString({ ...MOVIE, ...changed })).not.toBe(movieRecipeString(MOVIE));
});

const TILE: Parameters<TileService['tile']>[0] = { id: 26, x: 0, y: 0, imageScale: 2.42044088, type: 'jpg' };

const OTHER_TILES: Others<typeof TILE> = {
  id: 42,
  x: 1,
  y: 1,
  imageScale: 4.84088176,
  frame: 'observer',
  north: true,
  type: 'webp',
  quality: 80,
  projection: { kind: 'unwrapped' },
  ...OTHER_OPERATIONS,
};

const FRAME: Parameters<MovingFrameService['frame']>[0] = { id: 26, imageScale: 4.84088176, x: -1, y: -1, columns: 1, rows: 1 };

const OTHER_FRAMES: Others<typeof FRAME> = {
  id: 42,
  imageScale: 9.68176352,
  x: 0,
  y: 0,
  columns: 2,
  rows: 2,
  ...OTHER_OPERATIONS,
};

/** Renders of two requests at the same time. */
async function rendersOf(
  serve: (render: () => Promise<Uint8Array>) => (request: never, call: Parameters<TileService['tile']>[1]) => Promise<unknown>,
  requests: readonly object[],
): Promise<number> {
  let renders = 0;
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const service = serve(() => {
    renders += 1;
    return promise;
  });
  const drawn = requests.map((request) => service(request as never, callOf()));
  await new Promise(setImmediate);
  resolve(new Uint8Array());
  await Promise.all(drawn);
  return renders;
}

const index = new MemoryImageIndex(IMAGES);
const SHARED = [
  {
    what: 'a tile',
    request: TILE,
    others: OTHER_TILES,
    serve: (render: () => Promise<Uint8Array>) => {
      const service = new TileService({ index, tiles: { render, isReady: () => true } });
      return service.tile.bind(service);
    },
  },
  {
    what: 'a frame',
    request: FRAME,
    others: OTHER_FRAMES,
    serve: (render: () => Promise<Uint8Array>) => {
      const service = new MovingFrameService({
        index,
        movingFrames: { render, prepare: async () => undefined, tables: new MemoryFrameRenderer().tables },
      });
      return service.frame.bind(service);
    },
  },
].flatMap(({ others, ...rest }) => membersOf(others).map((member) => ({ ...rest, ...member })));

it.each(SHARED)('concurrent requests share a render of $what unless its $member differs', async ({ request, changed, serve }) => {
  expect(await rendersOf(serve, [request, { ...request }])).toBe(1);
  expect(await rendersOf(serve, [request, { ...request, ...changed }])).toBe(2);
});
