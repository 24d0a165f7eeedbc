// Pictures of turned and bent images: a spot is where the header's world coordinates place it, within a tenth of a pixel of its file.
import { describe, expect, it, vi } from 'vitest';
import { MovingFrameRenderer, MovingFrameService } from '../../../src/archive/drawing/moving-frames.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { counterOf } from '../../../src/archive/reading/image-statistics.ts';
import type { Jp2Index } from '../../../src/jp2/sidecar.ts';
import { applyTable } from '../../../src/picture/filters/byte-table.ts';
import { compositionGrid, observedTileGrid, plateScale, tileGrid } from '../../../src/picture/grids/pixel-grid.ts';
import { observedBounds } from '../../../src/picture/grids/tile-pyramid.ts';
import { turnedImage, uprightBounds } from '../../../src/picture/grids/upright.ts';
import { describedIn } from '../../../src/picture/moving-frame.ts';
import { parseRegion } from '../../../src/picture/picture.ts';
import { gather, gatherPlan } from '../../../src/picture/raster/gather.ts';
import { ringOf } from '../../../src/picture/raster/mask.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { planeOf } from '../../../src/sun/coordinates/image-plane.ts';
import { eachBy, NodeTable } from '../../../src/sun/coordinates/nodes.ts';
import { RADII_PER_AU } from '../../../src/sun/coordinates/observer.ts';
import { boxOf, planePointOf, sidesOfEdges } from '../../../src/sun/coordinates/picture-plane.ts';
import { SOLAR_RADIUS_M } from '../../../src/sun/geometry.ts';
import type { ImageGeometry, Size } from '../../../src/sun/image.ts';
import { hasDjpeg, readJpeg } from '../../support/imaging/picture-tools.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { archiveOfFiles } from '../../support/sample-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const SIDE = 256;
/** From the upper left corner, and as a FITS pixel. */
const SPOT = { x: 170.5, y: 60.5, sigma: 5 };
const PIXEL = { x: SPOT.x + 0.5, y: SIDE - SPOT.y + 0.5 };

const EUI = { TELESCOP: 'SOLO/EUI/FSI', INSTRUME: 'EUI', DETECTOR: 'FSI', WAVELNTH: 174, DSUN_OBS: 0.4 * 149_597_870_700 };
const SQUARE = { 'DATE-OBS': '2022-04-01T00:00:45.000', NAXIS1: SIDE, NAXIS2: SIDE, CDELT1: 4.44, CDELT2: 4.44 };
const CENTRED = { ...SQUARE, CRPIX1: 120.25, CRPIX2: 133.5, CRVAL1: 0, CRVAL2: 0 };
const HRI = { DETECTOR: 'HRI_EUV', CDELT1: 0.492, CDELT2: 0.492, CRVAL1: 310, CRVAL2: -420 };
const rolled = (degrees: number, ratio = 1) => {
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return { PC1_1: cosine, PC1_2: -sine * ratio, PC2_1: sine / ratio, PC2_2: cosine };
};
const wide = (code: string, degrees: number) => ({
  ...{ ...EUI, ...CENTRED, CTYPE1: `HPLN-${code}`, CTYPE2: `HPLT-${code}`, CUNIT1: 'deg', CUNIT2: 'deg', PV2_1: 0.5 },
  ...{ CDELT1: degrees, CDELT2: degrees, CRVAL1: 12, CRVAL2: -1, ...rolled(5) },
});

const HEADERS = {
  'FSI, rolled by 4.3 degrees about a far point': { ...EUI, ...CENTRED, CRVAL1: -233, CRVAL2: 83, ...rolled(-4.264) },
  'HRI, by PC': { ...EUI, ...CENTRED, ...HRI, ...rolled(3.4) },
  'FSI, upside down': { ...EUI, ...CENTRED, ...rolled(179.5) },
  'IRIS, by PC': {
    TELESCOP: 'IRIS',
    INSTRUME: 'SJI',
    TWAVE1: 1330,
    ...CENTRED,
    CDELT1: 0.33,
    CDELT2: 0.33,
    CRVAL1: 461,
    CRVAL2: 479,
    ...rolled(-0.646),
  },
  'XRT, by CROTA2': {
    TELESCOP: 'HINODE',
    INSTRUME: 'XRT',
    EC_FW1_: 'Open',
    EC_FW2_: 'Ti_poly',
    ...CENTRED,
    CROTA1: -23,
    CROTA2: -23,
  },
  'oblong pixels, rolled': { ...EUI, ...CENTRED, CDELT1: 6, CDELT2: 4, ...rolled(12.3, 4 / 6) },
  'a wide field in ARC': wide('ARC', 0.0225),
  'a wide field in AZP': wide('AZP', 0.04),
  'a wide field in tilted AZP': { ...wide('AZP', 0.04), PV2_2: 20 },
  'a wide field in oblique CAR': { ...wide('CAR', 0.04), CRVAL2: 10 },
  'LASCO, turned when it was made': {
    TELESCOP: 'SOHO',
    INSTRUME: 'LASCO',
    DETECTOR: 'C3',
    ...CENTRED,
    CROTA: -7.4,
    CROTA1: -7.4,
    CROTA2: -7.4,
  },
} as const;

async function archiveOf(keywords: Readonly<Record<string, string | number>>) {
  const fits = new Map(Object.entries(keywords).map(([name, value]) => [name, String(value)]));
  const { image, objects } = await spotImage(SIDE, 1, SPOT);
  const xml = `<meta><fits>${[...fits].map(([name, value]) => `<${name}>${value}</${name}>`).join('')}</fits></meta>`;
  const archive = await archiveOfFiles([
    { path: 'X/2022/04/01/1/spot.jp2', jp2: jp2File((await objects.readAll(image.key))!, xml) },
  ]);
  const drawn = archive.images[0]!;
  const plane = planeOf(drawn, { fits })!;
  const distanceAu = drawn.geometry.dsunMetres / SOLAR_RADIUS_M / RADII_PER_AU;
  const place = plane ? planePointOf(plane.seenAt(PIXEL), distanceAu) : SPOT;
  const app = servedApp(testServices({ index: archive.index, objects: archive.objects }));
  const get = async (path: string) =>
    (await (await app.request(`http://sun.test/${path}`)).json()) as { readonly error?: string };
  return { ...archive, image: drawn, plane, header: { fits }, place, get };
}

it('the turn of an image fails while its header cannot be read, and is found afterwards', async () => {
  const { image, objects } = await archiveOf(HEADERS['HRI, by PC']);
  const reader = new ImageReader({ objects, memory: anyMemory() });
  const open = await reader.open(image);
  const read = vi.spyOn(objects, 'read').mockRejectedValueOnce(new Error('Network connection lost.'));
  await expect(reader.origin(open)).rejects.toThrow('Network connection lost.');
  read.mockResolvedValueOnce(null);
  await expect(reader.origin(open)).rejects.toMatchObject({ kind: 'missing-file' });
  expect((await reader.origin(open)).turned).not.toBeNull();
});

it.each(Object.keys(HEADERS) as (keyof typeof HEADERS)[])(
  'a spot lies where its coordinates say at each scale: %s',
  async (name) => {
    const { layers, image, place } = await archiveOf(HEADERS[name]);
    for (const zoom of [0.4, 1, 1.7, 2.6]) {
      const imageScale = image.geometry.scaleArcsecPerPixel * zoom;
      const field = parseRegion({ imageScale, x0: place.x, y0: place.y, width: 96, height: 96 });
      const { samples, alpha } = await layers.draw({ image, reference: null }, compositionGrid(image.geometry, field), 'levels');
      const light = centroid(96, samples.length, (i) => (alpha?.[i] === 0 ? 0 : samples[i]!));
      const off = Math.hypot(light.x - 48, light.y - 48) * zoom;
      expect(off, `${off} pixels at ${zoom}`).toBeLessThan(0.1);
    }
  },
);

it('a spot of an image whose matrix and CROTA2 contradict each other is drawn as its file lies, and on no sphere', async () => {
  const { layers, image, plane, get } = await archiveOf({
    ...HEADERS['FSI, upside down'],
    CROTA2: 90,
    HGLN_OBS: 10,
    HGLT_OBS: 0,
  });
  expect(plane).toBeNull();
  const grid = { left: 0, top: 0, step: 1, width: SIDE, height: SIDE };
  const { samples } = await layers.draw({ image, reference: null }, grid, 'levels');
  const light = centroid(SIDE, samples.length, (i) => samples[i]!);
  expect(light).toEqual({ x: expect.closeTo(SPOT.x, 1), y: expect.closeTo(SPOT.y, 1) });
  const view = 'x0=0&y0=0&width=64&height=64&imageScale=20&projection=sphere,0,0';
  const { error } = await get(`v2/takeScreenshot/?date=2022-04-01T00:00:45Z&layers=[${image.sourceId},1,100]&${view}`);
  expect(error).toMatch(/for projection, got sphere,0,0\.$/);
});

it('a spot of an image moves the bounds of an image that is turned, and those of no other', async () => {
  const bounds = async (name: keyof typeof HEADERS) => {
    const { plane, image } = await archiveOf(HEADERS[name]);
    return [uprightBounds(plane, image.geometry), observedBounds(image.geometry)] as const;
  };
  const [turned, [left, bottom, right, top]] = await bounds('FSI, upside down');
  for (const [i, edge] of [-right, -top, -left, -bottom].entries()) expect(Math.abs(turned[i]! - edge)).toBeLessThan(6);
  const { get, image } = await archiveOf({ ...HEADERS['FSI, upside down'], CROTA: 179.5 });
  const edges = turned.map((edge) => expect.closeTo(edge, 6));
  expect(await get(`tiles/image-${image.id}.json`)).toMatchObject({ helioprojective: { rotation: 179.5, bounds: edges } });
  expect(await get(`iiif/3/image-${image.id}/info.json`)).toMatchObject({ width: SIDE, service: [{ rotation: 179.5 }] });
  expect(turned[0]).not.toBeCloseTo(left, 0);
  const [asFiled, own] = await bounds('LASCO, turned when it was made');
  expect(asFiled).toEqual(own);
});

it('a spot of an image stays in getTile as its file lies, and is turned in the tiles of the pyramid', async () => {
  const { layers, image, place } = await archiveOf(HEADERS['FSI, upside down']);
  const { geometry } = image;
  const tile = { x: 0, y: -1, imageScale: geometry.scaleArcsecPerPixel };
  const asFiled = await layers.draw({ image, reference: null }, tileGrid(geometry, tile), 'frame', undefined, 'file');
  const found = centroid(512, asFiled.samples.length, (i) => asFiled.samples[i]!);
  expect(found).toEqual({ x: expect.closeTo(SPOT.x - 128, 1), y: expect.closeTo(512 + SPOT.y - 128, 1) });
  const scale = geometry.scaleArcsecPerPixel * geometry.scaleCorrection;
  const turned = { x: -1, y: 0, imageScale: scale };
  const { samples, alpha } = await layers.draw({ image, reference: null }, observedTileGrid(geometry, turned), 'frame');
  const light = centroid(512, samples.length, (i) => (alpha![i] === 0 ? 0 : samples[i]!));
  expect(light.x - 512).toBeCloseTo(place.x / geometry.scaleArcsecPerPixel, 1);
  expect(light.y).toBeCloseTo(place.y / geometry.scaleArcsecPerPixel, 1);
  // Beyond its edges an image is transparent.
  expect([alpha![0], alpha![512 * 511]]).toEqual([0, 0]);
  expect(alpha!.reduce((sum, value) => sum + Number(value === 255), 0)).toBeGreaterThan(10_000);
});

it.skipIf(!hasDjpeg).each(['FSI, upside down', 'FSI, rolled by 4.3 degrees about a far point', 'XRT, by CROTA2'] as const)(
  'a spot of an image turns north up in getFrame, whose file says where the image ends: %s',
  async (name) => {
    const { layers, image, images, place } = await archiveOf(HEADERS[name]);
    const service = new MovingFrameService({
      index: new MemoryImageIndex(images),
      movingFrames: new MovingFrameRenderer({ layers }),
    });
    const imageScale = image.geometry.scaleArcsecPerPixel;
    const { jpeg } = await service.frame({ id: image.id, imageScale }, callOf());
    const { sun, edges, isRollUnverified = false } = describedIn(jpeg)!;
    expect(isRollUnverified).toBe(name === 'XRT, by CROTA2');
    const frame = readJpeg(jpeg);
    const light = centroid(frame.width, frame.bytes.length, (i) => Math.max(0, frame.bytes[i]! - 20));
    expect(light.x - sun.x).toBeCloseTo(place.x / imageScale, 1);
    expect(light.y - sun.y).toBeCloseTo(place.y / imageScale, 1);
    // The levels are those of a picture, but for the loss of JPEG.
    const { width, height } = frame;
    const [left0, top0] = [-sun.x * imageScale, -sun.y * imageScale];
    const region = { left: left0, top: top0, right: left0 + width * imageScale, bottom: top0 + height * imageScale };
    const field = { region, imageScaleArcsecPerPixel: imageScale, width, height };
    const { samples } = await layers.draw({ image, reference: null }, compositionGrid(image.geometry, field), 'levels');
    const off = samples.map((level, i) => Math.abs(level - frame.bytes[i]!)).sort();
    expect(
      [off[Math.floor(0.99 * off.length)], off.at(-1)].every((levels) => levels! < 12),
      `${off.at(-1)} levels`,
    ).toBe(true);
    // The spot is where it is in the file, from the sides to the right and below.
    const [right, low] = sidesOfEdges(edges!).map(([x, y, constant]) => x * place.x + y * place.y + constant);
    expect([right, low]).toEqual([expect.closeTo((2 * SPOT.x) / SIDE - 1, 2), expect.closeTo((2 * SPOT.y) / SIDE - 1, 2)]);
    const { left, top, right: end, bottom } = boxOf(edges!);
    expect([frame.width * imageScale - (end - left), frame.height * imageScale - (bottom - top)].map(Math.abs)).toSatisfy(
      (off: number[]) => off.every((arcsec) => arcsec < 17 * imageScale),
    );
  },
);

it('a spot of an image keeps its mask about the middle of its detector, wherever the roll takes it', () => {
  const mask = { unit: 256, anchor: 'image', inner: [10, -4, 30], outer: [0, 0, 120], masksDownloads: false } as const;
  const geometry = { width: 256, height: 256, scaleArcsecPerPixel: 2, refPixelX: 100.5, refPixelY: 156.5 } as ImageGeometry;
  const ring = ringOf(mask, geometry, { x: 40, y: -60, across: { x: 0, y: 256 }, down: { x: -256, y: 0 } });
  // The Sun is at 100, 100, the middle of the image at 20, -30 from there, and its columns run down.
  expect(ring.outer).toEqual({ x: 120, y: 70, radius: 120 });
  expect(ring.inner).toEqual({ x: 124, y: 80, radius: 30 });
  const { x, y } = ringOf(mask, geometry).inner;
  expect([x, y]).toEqual([138, 124]);
});

it.each(['FSI, rolled by 4.3 degrees about a far point', 'oblong pixels, rolled', 'a wide field in ARC'] as const)(
  'annuli of an image that is turned or bent lie about the Sun in its file, counted and drawn: %s',
  async (name) => {
    const { image, plane, header } = await archiveOf(HEADERS[name]);
    const { geometry } = image;
    const counter = counterOf({ image, index: { size: { x0: 0, y0: 0, x1: SIDE, y1: SIDE } } as Jp2Index }, header, null);
    const { rows, from } = counter.statistics;
    const turned = turnedImage(plane, geometry, { width: SIDE, height: SIDE })!;
    const radii = Array.from({ length: SIDE * SIDE }, (_, i) => {
      const seen = plane.seenAt({ x: (i % SIDE) + 1, y: SIDE - Math.floor(i / SIDE) });
      const { x, y } = planePointOf(seen, 1 / plateScale(geometry));
      return Math.hypot(x, y) - from;
    });
    // The number of its annulus as the byte of each pixel.
    const samples = Uint8Array.from(radii, Math.floor);
    counter.add({ x0: 0, y0: 0, width: SIDE, height: SIDE, samples });
    const misplaced = counter.counts.reduce((sum, count, i) => sum + (i % 256 === (i >> 8) % 256 ? 0 : count), 0);
    expect(misplaced / samples.length).toBeLessThan(0.002);
    const table = { rows, from, width: 1, levels: new Uint8Array(256 * rows) };
    for (let i = 0; i < table.levels.length; i++) table.levels[i] = Math.min(i % rows, 255);
    const [across, down] = [geometry.width / SIDE, geometry.height / SIDE];
    const grid = { left: 0, top: 0, step: across, rowStep: down, width: SIDE, height: SIDE };
    applyTable(samples, table, grid, { y0: 0, y1: SIDE }, geometry, turned);
    const off = radii.map((radius, i) => Math.abs(Math.min(Math.max(radius - 0.5, 0), 255) - samples[i]!));
    expect(off.filter((apart) => apart > 0.55)).toEqual([]);
  },
);

describe('the mask of a coronagraph that is turned, as its file lies', () => {
  const SECCHI = { INSTRUME: 'SECCHI', ...CENTRED, CRVAL1: 90, CRVAL2: -60, ...rolled(17) };
  const at = ([x, y, radius]: readonly [number, number, number]) => ({
    x: SIDE / 2 + (x * SIDE) / 2048,
    y: SIDE / 2 + (y * SIDE) / 2048,
    radius: (radius * SIDE) / 2048,
  });
  it.each([
    ['COR1-A, at its place on the detector', { ...SECCHI, OBSRVTRY: 'STEREO_A', DETECTOR: 'COR1' }, at([0, 0, 387])],
    ['COR2-B, at its place on the detector', { ...SECCHI, OBSRVTRY: 'STEREO_B', DETECTOR: 'COR2' }, at([19, 28, 216])],
    ['KCor, about the Sun', { ...SECCHI, TELESCOP: 'COSMO K-Coronagraph', INSTRUME: 'COSMO K-Coronagraph' }, null],
  ] as const)('hides the occulter, whose pixels count in no annulus: %s', async (_, keywords, onDetector) => {
    const { layers, image, plane, header } = await archiveOf(keywords);
    const sun = plane.pixelTowards(0, 0, 1)!;
    const { inner } = ringOf(findSource(image.sourceId)!.mask!, image.geometry);
    // The mask of KCor is beside the Sun by a pixel.
    const occulter = onDetector ?? { x: sun.x - 0.5, y: SIDE - sun.y + 0.5, radius: inner.radius };
    const index = { size: { x0: 0, y0: 0, x1: SIDE, y1: SIDE } } as Jp2Index;
    const counter = counterOf({ image, index }, header, null);
    counter.add({ x0: 0, y0: 0, width: SIDE, height: SIDE, samples: new Uint8Array(SIDE * SIDE).fill(200) });
    const filter = { name: 'rhef', low: 1, high: 1 } as const;
    const grid = { left: 0, top: 0, step: 1, width: SIDE, height: SIDE };
    for (const purpose of ['frame', 'download'] as const) {
      const { alpha } = await layers.draw({ image, reference: null, filter }, grid, purpose, UNTIMED, 'file');
      const misplaced = alpha!.filter((value, i) => {
        const off = Math.hypot((i % SIDE) + 0.5 - occulter.x, Math.floor(i / SIDE) + 0.5 - occulter.y) - occulter.radius;
        return off < -3 ? value > 0 : off > 3 && off < 10 && value < 255;
      });
      expect(misplaced.length).toBe(0);
      expect(counter.counts.reduce((sum, count) => sum + count)).toBe(alpha!.filter((value) => value === 255).length);
    }
  });
});

const size = { width: 300, height: 200 };
const samples = Uint8Array.from({ length: 300 * 200 }, (_, i) => (i * 37 + ((i * i) % 251)) % 256);
const grid = { width: 150, height: 101 };
/** Bent, beyond the edges, and with a disc that is not seen. */
const placing = (x: number, y: number) =>
  Math.hypot(x - 100, y - 50) < 20 ? null : { x: -8 + 2.1 * x + 9 * Math.sin(y / 40), y: -6 + 1.6 * y + 8 * Math.cos(x / 50) };

it('a gather through nodes gives the values between samples, and no pixel off the image', () => {
  const table = new NodeTable(grid, eachBy(placing), { each: 1, pixels: 1 });
  const window = { x0: 0, y0: 0, x1: 300, y1: 200 };
  const { samples: drawn, alpha } = gather(samples, { reduce: 0, window }, size, table, grid);
  let shown = 0;
  for (let i = 0; i < drawn.length; i++) {
    const place = placing((i % 150) + 0.5, Math.floor(i / 150) + 0.5);
    // The edge of what is not seen is smooth.
    if (Math.abs(Math.hypot((i % 150) - 99.5, Math.floor(i / 150) - 49.5) - 20) < 1.5) continue;
    const isIn = place && place.x >= -0.5 && place.x < 299.5 && place.y >= -0.5 && place.y < 199.5;
    if (
      place &&
      Math.min(Math.abs(place.x + 0.5), Math.abs(place.x - 299.5), Math.abs(place.y + 0.5), Math.abs(place.y - 199.5)) < 1.2
    )
      continue;
    expect(alpha![i]).toBe(isIn ? 255 : 0);
    shown += Number(isIn);
  }
  expect(shown).toBeGreaterThan(8000);
  const smooth = Uint8Array.from({ length: 300 * 200 }, (_, i) =>
    Math.round(127 + 60 * Math.sin((i % 300) / 9) + 60 * Math.cos(Math.floor(i / 300) / 7)),
  );
  const { samples: values } = gather(smooth, { reduce: 0, window }, size, table, grid);
  for (let i = 0; i < values.length; i++) {
    const place = placing((i % 150) + 0.5, Math.floor(i / 150) + 0.5);
    if (alpha![i] !== 255 || !place || place.x < 0 || place.x > 299 || place.y < 0 || place.y > 199) continue;
    const expected = 127 + 60 * Math.sin(place.x / 9) + 60 * Math.cos(place.y / 7);
    expect(Math.abs(values[i]! - expected)).toBeLessThan(2.5);
  }
  // Stripes that are finer than the pixels become grey.
  const stripes = samples.map((_, i) => 255 * (i % 2));
  const { samples: grey } = gather(stripes, { reduce: 0, window }, size, table, grid);
  expect(Math.max(...grey.filter((_, i) => alpha![i] === 255).map((level) => Math.abs(level - 127.5)))).toBeLessThan(50);
});

it.each([0, 30, -25])('a gather through nodes draws a part %d pixels from the middle as in the whole', (shift) => {
  const wide = { width: 301, height: 150 };
  const disc = (x: number, y: number) => {
    const [across, down] = [(x - 150 - 4 * shift) / 41, (y - 70 - shift) / 41];
    return Math.hypot(across, down) < 1 ? { x: 150 + 120 * Math.asin(across), y: 100 + 80 * Math.asin(down) } : null;
  };
  const drawn = ({ width, height }: Size, left: number, top: number) => {
    const table = new NodeTable(
      { width, height },
      eachBy((x, y) => disc(x + left, y + top)),
      { each: 1, pixels: 1 },
    );
    return { table, ...gather(samples, gatherPlan(table, size, 0), size, table, { width, height }) };
  };
  const whole = drawn(wide, 0, 0);
  const { x0, y0, ...end } = whole.table.seen;
  const part = { width: Math.min(end.x1, wide.width) - x0, height: Math.min(end.y1, wide.height) - y0 };
  expect(part.width * part.height).toBeLessThan(0.6 * wide.width * wide.height);
  // The part has the memory of the whole.
  whole.table.release();
  const alone = drawn(part, x0, y0);
  for (const name of ['samples', 'alpha'] as const) {
    const placed = new Uint8Array(wide.width * wide.height);
    for (let row = 0; row < part.height; row++)
      placed.set(alone[name].subarray(row * part.width, (row + 1) * part.width), (y0 + row) * wide.width + x0);
    expect(Buffer.from(placed).equals(whole[name])).toBe(true);
  }
});

it('a gather through nodes reads no more than what is shown', () => {
  const plan = (step: number, reduce: number) => {
    const table = new NodeTable(
      { width: 64, height: 64 },
      eachBy((x, y) => ({ x: 400 + step * (0.8 * x - 0.6 * y), y: 300 + step * (0.6 * x + 0.8 * y) })),
      { each: 1, pixels: 1 },
    );
    return gatherPlan(table, { width: 4096, height: 4096 }, reduce);
  };
  const { window } = plan(2, 1);
  expect(window).toEqual({ x0: 161, y0: 149, x1: 253, y1: 242 });
});
