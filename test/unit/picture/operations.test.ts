// Colour ranges and grey in every picture, over files of the sample.
import { expect, it } from 'vitest';
import { parseLayers, plainLayer } from '../../../src/picture/layers.ts';
import { describedIn } from '../../../src/picture/moving-frame.ts';
import { coloursOf, layerParameters } from '../../../src/picture/operations/operations.ts';
import { FULL_RANGE } from '../../../src/picture/operations/range.ts';
import { recipeFromScreenshotParameters, recipeString } from '../../../src/picture/recipe.ts';
import { fromBase64 } from '../../../src/platform/util/bytes.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const RANGE = { low: 20, high: 200, gamma: 1.4 };

/** The colours of levels in the range, whose formula stands here by itself. */
function inRange(table: Uint8Array): Uint8Array {
  return table.map((_, i) => {
    const place = 255 * Math.min(Math.max((Math.floor(i / 3) - 20) / 180, 0), 1) ** (1 / 1.4);
    const below = Math.min(Math.floor(place), 254);
    const [from, to] = [table[3 * below + (i % 3)]!, table[3 * (below + 1) + (i % 3)]!];
    return Math.round(from + (to - from) * (place - below));
  });
}

/** AIA 171, 193 and 211, and C2, over which the others lie. */
const shots = [0, 1].map((hours) => ({ sourceId: 10, timeMs: NOON - 3_600_000 * hours, size: 512 }));
const archive = await sampleArchive([...shots, ...[4, 11, 12].map((sourceId) => ({ sourceId, timeMs: NOON, size: 512 }))]);
const app = servedApp(testServices({ index: archive.index, objects: archive.objects, clock: () => NOON + 86_400_000 }));
const get = (path: string) => app.request(`http://sun.test${path}`);

const bytesOf = async (path: string) => {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
};
const pixelsOf = async (path: string) => readPng(await bytesOf(path));

/** The path of a picture of layers without what is drawn above them. */
const pictureOf = (layers: string, query = '') =>
  `/v2/takeScreenshot/?date=${new Date(NOON).toISOString()}&layers=${layers}&imageScale=14&x0=0&y0=0&width=230&height=220&watermark=false&display=true${query}`;

const LEVELS = 255;
/** Three channels of a colour at a level, whose formula stands here by itself. */
const tinted = (colour: readonly number[], level: number) =>
  colour.map((channel) => Math.floor((channel * level) / LEVELS + 0.5));

it.each([
  ['a tile', '/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84088176'],
  ['a tile of the pyramid', '/tiles/image-1/8/127/127.png?'],
  ['a download', '/v2/downloadImage/?id=1&width=256&type=png'],
  ['a tile of a difference', '/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84088176&difference=1&diffCount=1&diffTime=2'],
])('a tint colours %s in place of its table', async (_, path) => {
  const grey = await pixelsOf(`${path}&colour=false`);
  for (const [text, colour] of [
    ['33AAFF', [0x33, 0xaa, 0xff]],
    ['%233af', [0x33, 0xaa, 0xff]],
    ['Orange', [255, 165, 0]],
    ['green', [0, 255, 0]],
  ] as const) {
    const expected = grey.rgba.map((_, i) => ((i & 3) === 3 ? grey.rgba[i]! : tinted(colour, grey.rgba[i & ~3]!)[i & 3]!));
    expect((await pixelsOf(`${path}&tint=${text}`)).rgba).toEqual(expected);
  }
});

it('a tint lies within a range, and in the description of a frame', async () => {
  const description = describedIn(await bytesOf('/v2/getFrame/?id=1&imageScale=38.72705408&tint=red&range=20,200,1.4'))!;
  const table = Uint8Array.from({ length: 768 }, (_, i) => tinted([255, 0, 0], Math.floor(i / 3))[i % 3]!);
  expect(fromBase64(description.colours!)).toEqual(inRange(table));
});

it('a tint shares one key and one recipe in every notation', () => {
  const key = (tint: string) => edgeKey(new Request(`https://sun.test/v2/getTile/?id=1&x=0&y=0&imageScale=3&tint=${tint}`));
  expect(['FF0000', '%23f00', ' red ', '[red]'].map(key)).toEqual(Array(4).fill(key('red')));
  expect(key('ff0001')).not.toBe(key('red'));
  const layers = parseLayers('[13,1,100],[4,1,50],[10,1,100]', { tints: '[F00],[],[%2333AAFF]', blends: '[over],[ADD],[]' });
  expect(layers).toEqual([
    { ...plainLayer(13), tint: 'ff0000' },
    { ...plainLayer(4), opacity: 50, blend: 'add' },
    { ...plainLayer(10), tint: '33aaff' },
  ]);
  expect(layerParameters(layers)).toEqual({ tints: '[red],[],[33aaff]', blends: '[],[add],[]' });
});

it.each([
  [
    '/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84&tint=gren',
    'Expected a colour like red or 33aaff for tint, got gren. Did you mean green?',
  ],
  ['/v2/downloadImage/?id=1&tint=12345', 'Expected a colour like red or 33aaff for tint, got 12345.'],
  ['/tiles/image-1/8/127/127.png?tint=red,blue', 'Expected a colour like red or 33aaff for tint, got red,blue.'],
  [
    pictureOf('[10,1,100]', '&tints=[orang]'),
    'Expected a colour like red or 33aaff for tints, got [orang]. Did you mean orange?',
  ],
  [
    pictureOf('[10,1,100],[11,1,100]', '&tints=red,blue'),
    'Expected groups like [red],[], separated by commas, for tints, got red,blue. Did you mean [red],[blue]?',
  ],
  [
    pictureOf('[10,1,100]', '&tints=[red],[blue]'),
    'Expected at most 1 groups, one for each of layers, for tints, got [red],[blue].',
  ],
  [pictureOf('[10,1,100]', '&blends=[screen]'), 'Expected over or add for blends, got [screen].'],
  [pictureOf('[10,1,100]', '&blends=[],[add]'), 'Expected at most 1 groups, one for each of layers, for blends, got [],[add].'],
])('a tint refuses what names none in %s', async (path, sentence) => {
  const response = await get(path);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(sentence);
});

const grey = async (sourceId: number) => (await pixelsOf(pictureOf(`[${sourceId},1,100]`, '&colour=false'))).rgba;

it.each([
  [
    'the channels of a composite of three levels',
    ['red', 'green', 'blue'],
    [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ],
    [100, 100, 100],
  ],
  [
    'sums of mixed colours with opacities',
    ['orange', '33aaff', 'c0c0c0'],
    [
      [255, 165, 0],
      [51, 170, 255],
      [192, 192, 192],
    ],
    [100, 60, 33.5],
  ],
])('layers that add their light make %s', async (_, tints, colours, opacities) => {
  const sources = [12, 11, 10];
  const levels = await Promise.all(sources.map(grey));
  const layers = sources.map((id, i) => `[${id},1,${opacities[i]}]`).join();
  const query = `&tints=${tints.map((tint) => `[${tint}]`)}&blends=[over],[add],[add]`;
  const { rgba } = await pixelsOf(pictureOf(layers, query));
  const expected = rgba.map((_, i) => {
    if ((i & 3) === 3) return 255;
    const light = levels.map((one, layer) => {
      const channel = Math.floor((colours[layer]![i & 3]! * one[i & ~3]!) / 255 + 0.5);
      return Math.floor((opacities[layer]! / 100) * channel + 0.5);
    });
    return light.reduce((sum, value) => Math.min(255, sum + value), 0);
  });
  expect(rgba).toEqual(expected);
  expect(new Set(rgba).size).toBeGreaterThan(100);
});

it('layers that add their light add nothing where a coronagraph hides the Sun, and lie over nothing as over black', async () => {
  const [disc, alone] = [await pixelsOf(pictureOf('[10,1,100]')), await pixelsOf(pictureOf('[4,1,100]'))];
  const both = await pixelsOf(pictureOf('[10,1,100],[4,1,100]', '&blends=[],[add]'));
  expect(both.rgba).toEqual(disc.rgba.map((value, i) => ((i & 3) === 3 ? 255 : Math.min(255, value + alone.rgba[i]!))));
  expect((await pixelsOf(pictureOf('[10,1,100]', '&blends=[add]'))).rgba).toEqual(disc.rgba);
});

const tableOf = async () => fromBase64(describedIn(await bytesOf('/v2/getFrame/?id=1&imageScale=38.72705408'))!.colours!);

const TILE = '/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84088176';

it.each([
  ['a difference', `${TILE}&difference=1&diffCount=1&diffTime=2`, 'range=20,200,1.4'],
  ['a tile in grey', `${TILE}&colour=false`, 'range=20,200,1.4'],
  ['a tile in red', `${TILE}&tint=red`, 'range=20,200,1.4'],
  ['a tile of the pyramid in grey', '/tiles/image-1/8/127/127.png?colour=false', 'range=20,200,1.4'],
  ['a download in grey', '/v2/downloadImage/?id=1&width=256&type=png&colour=false', 'range=20,200,1.4'],
  ['a screenshot in grey', pictureOf('[10,1,100]', '&colour=false'), 'ranges=[20,200,1.4]'],
])('a colour range spreads the levels of %s', async (_, path, range) => {
  const [plain, ranged] = [await pixelsOf(path), await pixelsOf(`${path}&${range}`)];
  const greys = inRange(Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3)));
  const wrong = plain.rgba.findIndex((value, i) => i % 4 < 3 && plain.rgba[i | 3] === 255 && ranged.rgba[i] !== greys[3 * value]);
  expect(wrong).toBe(-1);
  expect(ranged.rgba).not.toEqual(plain.rgba);
});

it('a colour range changes the colours that a frame describes', async () => {
  const frame = describedIn(await bytesOf('/v2/getFrame/?id=1&imageScale=38.72705408&range=20,200,1.4'))!;
  expect(fromBase64(frame.colours!)).toEqual(inRange(await tableOf()));
  expect(describedIn(await bytesOf('/v2/getFrame/?id=1&imageScale=38.72705408&colour=false'))!.colours).toBeNull();
});

it('a colour range keeps the place that a coronagraph hides transparent, and stores no download', async () => {
  const tile = '/v2/getTile/?id=3&x=-1&y=-1&imageScale=19.36352704';
  const alpha = async (query: string) => (await pixelsOf(tile + query)).rgba.filter((_, i) => i % 4 === 3);
  expect(await alpha('&range=50,100,2')).toEqual(await alpha(''));
  await bytesOf('/v2/downloadImage/?id=1&width=512&type=png&range=20,200,1.4');
  expect([...archive.objects.objects.keys()].filter((key) => key.endsWith('/512.png'))).toEqual([]);
});

it('a colour range stays in the addresses of TileJSON and WMTS', async () => {
  const { tiles } = (await (await get('/tiles/10.json?range=20,200')).json()) as { tiles: string[] };
  expect(tiles[0]).toBe('http://sun.test/tiles/image-1/{z}/{x}/{y}.png?range=20%2C200%2C1');
  expect(await (await get('/tiles/10/1.0.0/WMTSCapabilities.xml?range=20,200')).text()).toContain('range=20%2C200%2C1');
});

it.each([
  ['/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84088176&range=200,20', 'range'],
  ['/tiles/image-1/8/127/127.png?range=1', 'range'],
  ['/v2/downloadImage/?id=1&range=0,256', 'range'],
  ['/v2/getFrame/?id=1&imageScale=38.72705408&range=0,255,9', 'range'],
  ['/v2/getEclipseImage/?range=20,200', 'range'],
  ['/v2/getEclipseImage/?ranges=[20,200]', 'ranges'],
  [pictureOf('[10,1,100]', '&ranges=[],[]'), 'ranges'],
  [pictureOf('[10,1,100]', '&ranges=20,200'), 'ranges'],
])('a colour range names the parameter that is wrong in %s', async (path, parameter) => {
  const response = await get(path);
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(new RegExp(`for ${parameter}\\b`));
});

const key = (query: string) => edgeKey(new Request(`https://sun.test/v2/getTile/?id=1&x=0&y=0&imageScale=2.42044088${query}`));

it.each(['&range=', '&range=0,255', '&range=[0,255,1]', '&colour=true', '&difference=0&diffCount=5'])(
  'the operations of layers leave the key of a tile as it is without a value: %s',
  (query) => expect(key(query)).toBe(key('')),
);

it('the operations of layers share one key in every notation, count hidden layers, and leave out those of hidden ones', () => {
  expect(key('&range=20,200')).toBe(key('&range=[ 20, 200, 1.0 ]'));
  expect(key('&range=20,200,1.4&colour=false')).toContain('colour=false');
  const layers = parseLayers('[10,0,100],[13,1,100],[4,1,50]', { ranges: '[1,2],[20,200,1.4]', colour: 'false' });
  expect(layers).toEqual([
    { ...plainLayer(13), range: RANGE, grey: true },
    { ...plainLayer(4), opacity: 50, grey: true },
  ]);
  expect(parseLayers('[13,1,100]', { ranges: '' })).toEqual([plainLayer(13)]);
  expect(parseLayers('[13,1,100]', { ranges: '[0,255,1]' })).toEqual([plainLayer(13)]);
});

it('the operations of layers end the canonical string of a picture, and change no colours by the full range', () => {
  const operations = { ranges: '[],[20,200,1.4]', colour: 'false', grid: true };
  const field = { imageScale: 4, x0: 0, y0: 0, width: 100, height: 100 };
  const { recipe } = recipeFromScreenshotParameters({ date: NOON, layers: '[13,1,100],[4,1,50]', ...field, ...operations });
  expect(recipeString(recipe)).toMatch(/"grid":true,"ranges":"\[\],\[20,200,1\.4\]","colour":"false"\}$/);
  const table = Uint8Array.from({ length: 768 }, (_, i) => (i * 7) % 251);
  expect(coloursOf({ range: FULL_RANGE }, table)).toEqual(table);
  expect(coloursOf({ grey: true }, table)).toBeNull();
  expect(coloursOf({ grey: true, range: RANGE }, table)).toEqual(coloursOf({ range: RANGE }, null));
});
