// Makes each change of "How to add" in docs/architecture.md in a copy of the source, in the files that the table there lists.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { testFolder } from '../support/system/test-folder.ts';

const root = resolve(import.meta.dirname, '..', '..');

interface Change {
  /** Placeholders of the table by their values here. */
  readonly names?: Readonly<Record<string, string>>;
  readonly mostFiles: number;
  /** New content of each file from its content, which is empty for a new file. */
  readonly edits: Readonly<Record<string, (text: string) => string>>;
}

/** Inserts text after the only occurrence of a mark. */
const after = (mark: string, inserted: string) => (text: string) => {
  expect(text.split(mark)).toHaveLength(2);
  return text.replace(mark, () => mark + inserted);
};

const HYDRA = `
import type { DataSource } from '../datasource.ts';
import { family, level, wavelength } from '../mission-records.ts';

export const HYDRA_SOURCES: readonly DataSource[] = family({
  firstId: 200,
  above: [level('Observatory', 'HYDRA', 'Hydra'), level('Instrument', 'HEAD', 'Head of Hydra')],
  leaves: ['171', '304'],
  nickname: 'HEAD {}',
  description: 'Hydra HEAD {}',
  units: 'Å',
  credit: { line: 'Hydra', rules: 'Free.', citation: null },
  headerLevels: (header, telescope) => (telescope === 'HYDRA' ? ['HYDRA', 'HEAD', wavelength(header)] : null),
  colourTable: 'Red_Temperature',
  archiveDirectory: 'HEAD',
  mask: { unit: 'solar-radii', anchor: 'sun', inner: [0, 0, 1.1], outer: [0, 0, 3], masksDownloads: true },
  search: (leaf) => ({ source: 'HYDRA', instrument: 'HEAD', wavelengthAngstrom: Number(leaf) }),
  knownGaps: [{ reason: 'not-launched', to: '2030-01-01', sentence: 'Hydra was launched on 1 January 2030.' }],
  statusHours: [1, 2, 3],
});
`;

const TAIL = `
  ...family({
    firstId: 210,
    above: [SOHO, level('Instrument', 'TAIL', 'Tail of SOHO')],
    leaves: ['999'],
    nickname: 'TAIL {}',
    description: 'SOHO TAIL {}',
    units: 'Å',
    credit: { line: 'SOHO (ESA & NASA)', rules: 'Free.', citation: null },
    headerLevels: (header, _, instrument) => (instrument === 'TAIL' ? ['SOHO', 'TAIL', wavelength(header)] : null),
    colourTable: 'TAIL_{}',
    archiveDirectory: 'TAIL',
  }),`;

const SUM = `
import { integer, jsonBody } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { z } from '@hono/zod-openapi';
import { operation } from '../services.ts';

export const getSum = operation({
  name: 'getSum',
  summary: 'The sum of two numbers.',
  description: 'A sum.',
  tag: 'Images',
  responses: { 'application/json': jsonBody('The sum.', () => z.object({ sum: z.int().describe('The sum.') }), { sum: 3 }) },
  example: { first: 1, second: 2 },
  parameters: { first: integer('First number.', { min: 0, max: 9 }), second: integer('Second number.', { min: 0, max: 9 }) },
  jsonp: false,
  edge: 'none',
  canonical: (values) => values,
  handle: async ({ first, second }) => jsonReply({ sum: first + second }, {}),
});
`;

const CROSS = `
import { flagOverlay } from './overlay.ts';

export const CROSS = flagOverlay('cross', {
  description: 'A cross at the centre of the Sun.',
  level: 'ground',
  draw: (frame) => [{ ...frame.pixelAt(0, 0), width: 8, height: 8, svg: '<path d="M0 4h8M4 0v8"/>' }],
});
`;

const INVERT = `
import { groupedOperation } from './operation.ts';

export const INVERT = groupedOperation({
  name: 'invert',
  all: 'inverts',
  description: 'The level that becomes black.',
  what: 'a level from 1 to 255',
  example: '200',
  parse: ([text = '']) => (Number(text) >= 1 && Number(text) <= 255 ? Math.round(Number(text)) : null),
  print: (level: number) => [level],
  levels: (level, { samples }) => {
    for (let i = 0; i < samples.length; i++) samples[i] = Math.max(level - samples[i]!, 0);
  },
  mark: () => ' inverted',
  suffix: (level) => \` [inverted at \${level}]\`,
});
`;

const BMP = `
import { stripEncoder } from '../../../picture/encode/encoder.ts';
import type { ImageFormat } from './format.ts';

const raw = (width: number, height: number) => {
  const rows: Uint8Array[] = [];
  const sink = { add: (pixels: Uint8Array) => void rows.push(pixels.slice()), end: () => new Uint8Array(Buffer.concat([Buffer.from('BM'), ...rows])) };
  return stripEncoder({ width, height, bytesPerPixel: 3, pixelCost: 1 }, sink);
};

export const BMP = { type: 'bmp', name: 'BMP', rgb: raw } as const satisfies ImageFormat;
`;

const CARD = `
import { integer } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { resource } from '../services.ts';
import { selectImage } from './jp2.ts';

export const card = resource({
  name: 'card',
  path: /^\\/cards\\/(?<id>[^/]+)\\.json$/,
  parameters: { id: integer('Image.', { min: 1, max: 99 }) },
  canonical: (values) => values,
  key: (canonical) => canonical,
  handle: async ({ id }, context) => {
    const { image, policy } = await selectImage({ id }, context);
    return jsonReply({ date: image.takenAtMs }, { policy });
  },
});
`;

const MIRROR = `
import type { Projection } from '../projection.ts';
import { around, ofPicture, type ProjectionRecord } from './mapping.ts';

const turned = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x: -x, y });

export const MIRROR: ProjectionRecord<Extract<Projection, { readonly kind: 'mirror' }>> = {
  description: '\`mirror\`: east to the right.',
  mapping: (_, observer) => ofPicture({ ofPlane: turned, toPlane: turned }, observer),
  sides: (_, reach) => around(reach),
  finds: 'plane',
  shader: '  plane = place * vec2(-1.0, 1.0);\\n  float shown = 1.0;',
};
`;

const CHANGES: Readonly<Record<string, Change>> = {
  'a datasource of a known mission, with new colours': {
    names: { '<mission>': 'soho' },
    mostFiles: 2,
    edits: {
      'src/sun/catalogue/missions/soho.ts': after('export const SOHO_SOURCES: readonly DataSource[] = [', TAIL),
      'src/picture/colour/tables.ts': after(
        'const DEFINITIONS: Readonly<Record<string, Channels>> = {',
        '\n  TAIL_999: [identity, identity, squared],',
      ),
    },
  },
  'a datasource of a new mission, with known colours': {
    names: { '<mission>': 'hydra' },
    mostFiles: 2,
    edits: {
      'src/sun/catalogue/missions/hydra.ts': () => HYDRA,
      'src/sun/catalogue/sources.ts': (text) =>
        `import { HYDRA_SOURCES } from './missions/hydra.ts';\n${after('  SDO_SOURCES,\n', '  HYDRA_SOURCES,\n')(text)}`,
    },
  },
  'an operation with two parameters': {
    names: { '<subject>': 'images', '<name>': 'sum' },
    mostFiles: 2,
    edits: {
      'src/faces/images/sum.ts': () => SUM,
      'src/faces/operations.ts': (text) =>
        `import { getSum } from './images/sum.ts';\n${after('  getDataSources,\n', '  getSum,\n')(text)}`,
    },
  },
  'the colours of AIA 171': {
    mostFiles: 1,
    edits: {
      'src/picture/colour/tables.ts': (text) =>
        after(
          'const DEFINITIONS: Readonly<Record<string, Channels>> = {',
          '\n  SDO_AIA_171: [squared, identity, identity],',
        )(text.replace("'SDO_AIA_171 PROBA2_SWAP_174", "'PROBA2_SWAP_174")),
    },
  },
  'the frame limit of movies': {
    mostFiles: 1,
    edits: { 'src/platform/limits/movies.ts': (text) => text.replace(/(?<=const MOST_FRAMES = )\d+/, '480') },
  },
  'an overlay': {
    names: { '<name>': 'cross' },
    mostFiles: 2,
    edits: {
      'src/picture/overlays/cross.ts': () => CROSS,
      'src/picture/overlays/overlays.ts': (text) =>
        `import { CROSS } from './cross.ts';\n${text.replace(/(export const OVERLAYS = \[[^\]]*)/, '$1, CROSS')}`,
    },
  },
  'a format of pictures': {
    names: { '<type>': 'bmp' },
    mostFiles: 3,
    edits: {
      'src/platform/http/response.ts': after('export const MEDIA_TYPES = {', "\n  bmp: 'image/bmp',"),
      'src/archive/drawing/formats/bmp.ts': () => BMP,
      'src/archive/drawing/formats/formats.ts': (text) =>
        `import { BMP } from './bmp.ts';\n${text.replace('webp: WEBP }', 'webp: WEBP, bmp: BMP }')}`,
    },
  },
  'a face': {
    names: { '<subject>': 'images', '<name>': 'card' },
    mostFiles: 4,
    edits: {
      'src/faces/images/card.ts': () => CARD,
      'src/faces/routes.ts': (text) =>
        `import { card } from './images/card.ts';\n${after('const RESOURCES: readonly ServiceRoute[] = [', '\n  card,')(text)}`,
    },
  },
  'a document': {
    mostFiles: 1,
    edits: {
      'src/faces/routes.ts': after(
        "const FILES: readonly Omit<ServiceRoute, 'kind'>[] = [",
        "\n  { path: /^\\/greeting$/, key: whole, handle: () => redirectReply('/', { policy: CATALOGUE }) },",
      ),
    },
  },
  'an operation of operators': {
    mostFiles: 1,
    edits: {
      'src/operator/admin.ts': after(
        'export const operatorRoutes = [',
        "\n  operatorRoute('GET /admin/clock/:zone', 'ingest', async ({ services, groups }) => jsonResponse([services.clock(), groups.zone])),",
      ),
    },
  },
  'an operation on layers': {
    names: { '<name>': 'invert' },
    mostFiles: 4,
    edits: {
      'src/picture/operations/invert.ts': () => INVERT,
      'src/picture/operations/operations.ts': (text) =>
        `import { INVERT } from './invert.ts';\n${text.replace('DIFFERENCE, RANGE,', 'DIFFERENCE, INVERT, RANGE,')}`,
    },
  },
  'a projection': {
    names: { '<name>': 'mirror' },
    mostFiles: 3,
    edits: {
      'src/picture/projection.ts': (text) =>
        after(
          "  | { readonly kind: 'cea' }",
          "\n  | { readonly kind: 'mirror' }",
        )(after('  cea: [],\n', '  mirror: [],\n')(text)),
      'src/picture/projections/mirror.ts': () => MIRROR,
      'src/picture/projections/projections.ts': (text) =>
        `import { MIRROR } from './mirror.ts';\n${after('  cea: CEA,\n', '  mirror: MIRROR,\n')(text)}`,
    },
  },
};

/** Prints what the changed source says about each change. */
const PROBE = `
import { writeSync } from 'node:fs';
import { findInstrument } from './demo/instruments/instruments.ts';
import { MOVIE_LIMITS } from './src/platform/limits/movies.ts';
import { archiveDirectory } from './src/sun/catalogue/datasource.ts';
import { identifySource } from './src/sun/catalogue/identify.ts';
import { findSource } from './src/sun/catalogue/sources.ts';
import { catalogueTree } from './src/sun/catalogue/tree.ts';
import { knownReason } from './src/archive/gaps.ts';
import { ingestionStatus } from './src/archive/ingestion-status.ts';
import { drawnOverlays, overlayMembers, parseOverlays } from './src/picture/overlays/overlays.ts';
import { pythonScript, scienceData } from './src/faces/images/science-data.ts';
import { openApiDocument } from './src/platform/http/openapi/document.ts';
import { paletteOf } from './src/picture/colour/palette.ts';
import { ringOf } from './src/picture/raster/mask.ts';
import { parseMovieRequest } from './src/movies/movie-recipe.ts';
import { printAddress } from './src/picture/address/view.ts';
import { readAddress } from './src/picture/address/read-address.ts';
import * as layerOperations from './src/picture/operations/operations.ts';
import { parseProjection } from './src/picture/projection.ts';
import { mappingOf } from './src/picture/projections/projections.ts';
import { recipeFromScreenshotParameters, recipeString } from './src/picture/recipe.ts';
import { edgeKey } from './src/worker/gateway.ts';
import { operations } from './src/faces/operations.ts';
import { routeOf } from './src/faces/routes.ts';
import { formatOf } from './src/archive/drawing/formats/formats.ts';
import { encodeTile } from './src/archive/drawing/tile.ts';

const HOUR_MS = 3_600_000;
const pixel = { width: 1, height: 1, samples: Uint8Array.of(255), covered: { x0: 0, y0: 0, x1: 1, y1: 1 }, palette: null, alpha: null };
const extents = new Map([[201, { startMs: 0, endMs: 0 }], [210, { startMs: 0, endMs: 0 }]]);
const fits = (values: Record<string, string>) => ({ fits: new Map(Object.entries(values)), helioviewer: new Map() });
const overlays = parseOverlays({ cross: true });
const cross = drawnOverlays(overlays).find(({ record }) => record.name === 'cross');
const paths = openApiDocument(operations.values(), { origin: 'http://sun.test', tags: [] }).paths as Record<string, { get: { parameters: { name: string }[] } }>;
const parametersOf = (operation: string) => Object.entries(paths).find(([path]) => path.includes(operation + '/'))?.[1].get.parameters.map(({ name }) => name);
const responsesOf = (operation: string) => Object.keys((Object.entries(paths).find(([path]) => path.includes(operation + '/'))?.[1] as never as { get: { responses: { 200: { content: object } } } }).get.responses[200].content);
const inverted = { invert: 200 } as never;
const samples = Uint8Array.of(10, 250);
layerOperations.applyLevels(inverted, { samples, reference: null } as never);
const picture = { layers: '[13,1,100],[4,1,100]', inverts: '[],[200]', imageScale: 4, x0: 0, y0: 0, width: 9, height: 9 };
const view = readAddress(new URLSearchParams('imageLayers=[10,1,100]&inverts=[200]')).view;
const keyOf = (path: string) => edgeKey(new Request('https://sun.test' + path));
const colour = (id: number) => [...paletteOf(id, 0, null)!.subarray(3 * 128, 3 * 129)];
writeSync(1, JSON.stringify({
  catalogue: catalogueTree(extents, 2),
  byHeader: [identifySource(fits({ TELESCOP: 'Hydra', WAVELNTH: '304' }), 'x.jp2'), identifySource(fits({ INSTRUME: 'TAIL', WAVELNTH: '999' }), 'x.jp2')],
  byName: identifySource(fits({}), '2031_06_01__00_01_21_347__HYDRA_HEAD_HEAD_304.jp2'),
  directory: archiveDirectory(findSource(201)!, 0, 'x.jp2'),
  ring: { ...findSource(201)!.mask!, ...ringOf(findSource(201)!.mask!, { width: 100, height: 100, refPixelX: 50.5, refPixelY: 50.5, rsunPixels: 10 } as never) },
  colours: { hydra: colour(201), tail: colour(210), aia171: colour(10), suvi171: colour(90) },
  script: pythonScript({ startMs: 0, endMs: HOUR_MS, data: scienceData([201]), box: null, movieAddress: null }),
  gap: knownReason(findSource(201)!, { startMs: 0, endMs: HOUR_MS }),
  status: ingestionStatus(extents, 2.5 * HOUR_MS),
  sample: [findInstrument(201)?.look, findInstrument(201)?.fileName(0)],
  operation: { parameters: parametersOf('getSum') },
  frames: { limit: MOVIE_LIMITS.frames.most, text: JSON.stringify(paths).match(/[^."]*480[^."]*frames[^."]*|[^."]*frames[^."]*480[^."]*/)?.[0] ?? null },
  inverted: {
    samples: [...samples],
    parameters: ['getTile', 'getFrame', 'downloadImage'].map((name) => parametersOf(name)?.includes('invert')),
    ofLayers: ['takeScreenshot', 'queueMovie'].map((name) => parametersOf(name)?.includes('inverts')),
    keys: [keyOf('/v2/getTile/?id=1&x=0&y=0&imageScale=3&invert=200'), keyOf('/tiles/10/8/128/127.png?invert=200'), keyOf('/v2/getFrame/?id=1&imageScale=2.42044088&invert=200')],
    recipe: recipeString(recipeFromScreenshotParameters({ ...picture, date: 0 } as never).recipe),
    movie: parseMovieRequest({ ...picture, startTime: 0, endTime: 1000 } as never).scene.layers,
    page: { address: printAddress(view), query: layerOperations.operationQuery(layerOperations.frameOperations(view.layers[0]!)) },
    caption: [layerOperations.markOf(inverted), layerOperations.suffixOf(inverted)],
  },
  format: {
    file: [...await encodeTile(formatOf('bmp' as never), pixel)],
    choices: ['getTile', 'downloadImage', 'takeScreenshot', 'downloadScreenshot'].map((name) => responsesOf(name)?.includes('image/bmp')),
    sentence: JSON.stringify(paths).includes('PNG, JPEG, WebP or BMP'),
    keys: [keyOf('/v2/getTile/?id=1&x=0&y=0&imageScale=3&type=bmp'), keyOf('/tiles/10/8/128/127.bmp'), keyOf('/iiif/3/image-26/full/max/0/default.bmp')],
  },
  projection: {
    recipe: recipeString(recipeFromScreenshotParameters({ ...picture, projection: 'mirror', date: 0 } as never).recipe),
    described: JSON.stringify(paths).includes('east to the right'),
    place: mappingOf(parseProjection('mirror'), {} as never).toPlane({ x: 5, y: 6 }),
  },
  routes: ['/cards/7.json', '/greeting', '/admin/clock/utc'].map((path) => [routeOf(new Request('https://sun.test' + path)).route?.kind, keyOf(path)]),
  overlay: { members: overlayMembers(overlays), parameter: parametersOf('takeScreenshot')?.includes('cross'), svg: cross?.record.draw(true, { pixelAt: () => ({ x: 5, y: 6 }) } as never) },
}));
`;

const table = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('\n## How to add\n')[1] ?? '';

/** Files of a change according to the table of the documentation. */
function documentedFiles(change: string): string[] {
  const row = table.split('\n').find((line) => line.startsWith(`| ${change} |`)) ?? '';
  const files = [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  const names = Object.entries(CHANGES[change]!.names ?? {});
  return files.map((file) => names.reduce((path, [placeholder, name]) => path.replace(placeholder, name), file));
}

const copy = testFolder();

let result: Record<string, never>;

beforeAll(() => {
  for (const name of ['src', 'demo', 'package.json']) cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'build']) symlinkSync(join(root, name), join(copy, name));
  for (const [path, edit] of Object.values(CHANGES).flatMap(({ edits }) => Object.entries(edits))) {
    const file = join(copy, path);
    expect(existsSync(dirname(file)), path).toBe(true);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const edited = edit(text);
    expect(edited, path).not.toBe(text);
    writeFileSync(file, edited);
  }
  writeFileSync(join(copy, 'probe.ts'), PROBE);
  result = JSON.parse(
    execFileSync(process.execPath, [join(copy, 'probe.ts')], { encoding: 'utf8', cwd: copy, timeout: 120_000 }),
  );
});

it.each(Object.keys(CHANGES))('a change of "How to add" touches the documented files: %s', (change) => {
  const { edits, mostFiles } = CHANGES[change]!;
  expect(Object.keys(edits)).toEqual(documentedFiles(change));
  expect(Object.keys(edits).length).toBeLessThanOrEqual(mostFiles);
});

it('a change of "How to add" adds datasources by header and name, with mask, colours, search, gaps, status and samples', () => {
  expect(result.catalogue).toMatchObject({
    HYDRA: { HEAD: { '304': { sourceId: 201, nickname: 'HEAD 304' } } },
    SOHO: { TAIL: { '999': { sourceId: 210 } } },
  });
  expect(result.byHeader).toEqual([{ sourceId: 201 }, { sourceId: 210 }]);
  expect(result.byName).toEqual({ sourceId: 201 });
  expect(result.directory).toBe('HEAD/1970/01/01/304');
  expect(result.ring).toMatchObject({ inner: { x: 50, y: 50, radius: 11 }, outer: { radius: 30 }, masksDownloads: true });
  expect(result.colours).toMatchObject({ hydra: [185, 15, 0], tail: [128, 128, 64] });
  expect(result.script).toContain('"HYDRA HEAD 304": a.Source("HYDRA") & a.Instrument("HEAD") & a.Wavelength(304 * u.angstrom)');
  expect(result.gap).toMatchObject({ reason: 'not-launched' });
  expect(result.status).toMatchObject({ HEAD: { level: 3 }, TAIL: { level: 2 } });
  expect(result.sample).toEqual(['lascoC3', '1970_01_01__00_00_00_000__HYDRA_HEAD_HEAD_304.jp2']);
});

it('a change of "How to add" adds an operation with its parameters, and changes colours and the frame limit with text', () => {
  expect(result.operation).toEqual({ parameters: ['first', 'second'] });
  expect(result.colours).toMatchObject({ aia171: [64, 128, 128], suvi171: [185, 128, 0] });
  expect(result.frames).toMatchObject({ limit: 480, text: expect.stringContaining('480') });
});

it('a change of "How to add" adds an operation on layers to every picture, its key, its caption and the page', () => {
  expect(result.inverted).toEqual({
    samples: [190, 0],
    parameters: [true, true, true],
    ofLayers: [true, true],
    keys: [
      '/getTile?id=1&imageScale=3&invert=200&x=0&y=0',
      '/tiles?invert=200&sourceId=10&type=png&x=128&y=127&z=8',
      '/getFrame?description=5&id=1&imageScale=2.42044088&invert=200',
    ],
    recipe: expect.stringMatching(/"inverts":"\[\],\[200\]"\}$/),
    movie: [
      { sourceId: 13, isVisible: true, opacity: 100 },
      { sourceId: 4, isVisible: true, opacity: 100, invert: 200 },
    ],
    page: { address: 'imageLayers=[10,1,100]&inverts=[200]', query: { invert: '200' } },
    caption: [' inverted', ' [inverted at 200]'],
  });
});

it('a change of "How to add" adds a projection to recipes, their description and what pictures show', () => {
  expect(result.projection).toEqual({
    recipe: expect.stringMatching(/"projection":"mirror"\}$/),
    described: true,
    place: { x: -5, y: 6 },
  });
});

it('a change of "How to add" adds a face, a document and an operation of operators at their addresses, with the keys of their kinds', () => {
  expect(result.routes).toEqual([
    ['resource', '/card?id=7'],
    ['file', '/greeting'],
    ['operator', null],
  ]);
});

it('a change of "How to add" adds a format to tiles, pyramids, downloads and screenshots, their keys, sentences and OpenAPI', () => {
  expect(result.format).toEqual({
    file: [0x42, 0x4d, 255, 255, 255],
    choices: [true, true, true, true],
    sentence: true,
    keys: [
      '/getTile?id=1&imageScale=3&type=bmp&x=0&y=0',
      '/tiles?sourceId=10&type=bmp&x=128&y=127&z=8',
      expect.stringContaining('type=bmp'),
    ],
  });
});

it('a change of "How to add" adds an overlay to parameters, canonical strings and pictures', () => {
  expect(result.overlay).toMatchObject({
    members: { cross: true },
    parameter: true,
    svg: [{ x: 5, y: 6, svg: '<path d="M0 4h8M4 0v8"/>' }],
  });
});
