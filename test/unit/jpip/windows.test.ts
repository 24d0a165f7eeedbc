import { describe, expect, it } from 'vitest';
import { encodeGrey } from '../../../demo/jp2/encode.ts';
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { chooseReduction } from '../../../src/jp2/jpip/bins.ts';
import { parseJpipRequest } from '../../../src/jp2/jpip/request.ts';
import { makeRaster } from '../../support/imaging/rasters.ts';
import { packHeaders } from '../../support/jp2/codestreams.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { openjpegDecode } from '../../support/jp2/openjpeg.ts';
import { hasOpj, opjCompress } from '../../support/jp2/opj.ts';
import { jpipArchive } from '../../support/jpx/jpip-archive.ts';
import { rebuildCodestream } from '../../support/jpx/jpip-rebuild.ts';
import { BinCache } from '../../support/jpx/jpip-stream.ts';
import { archiveFiles, conformanceStreams, readArchiveFile, readConformanceFile } from '../../support/real-files.ts';

const WIDTH = 400;
const HEIGHT = 300;
const raster = makeRaster({ width: WIDTH, height: HEIGHT });
const colour = makeRaster({ width: WIDTH, height: HEIGHT, components: 3 });
const LAYERS = [40, 15, 5];

const grey = { width: WIDTH, height: HEIGHT, samples: Uint8Array.from(raster.components[0] as Int32Array) };
const style = { levels: 5, layerRatios: LAYERS, packetLengths: true };

const STREAMS: Readonly<Record<string, Uint8Array>> = {
  'RPCL with precincts': encodeGrey(grey, { ...style, precinctExponent: 6 }),
  'RPCL without precincts': encodeGrey(grey, style),
  'RPCL without packet lengths': encodeGrey(grey, { ...style, packetLengths: false }),
  'LRCP with many code-blocks in a precinct': encodeSamples(raster, {
    lossless: true,
    order: 0,
    layerRatios: [20, 5, 1],
    block: [16, 16],
  }),
  'RLCP of three components': encodeSamples(colour, { lossless: true, order: 1, layerRatios: [10, 1] }),
  'PCRL of three components': encodeSamples(colour, { lossless: false, order: 3, layerRatios: LAYERS }),
  'CPRL of three components': encodeSamples(colour, { lossless: true, order: 4 }),
};

/** An archive of one image, and the cache of a client that has received nothing. */
const client = async (jp2: Uint8Array) => ({ ...(await jpipArchive(jp2)), cache: new BinCache() });

/** Rows y0..y1 and columns x0..x1 of a decoded image of one component. */
function crop({ width, samples }: { width: number; samples: Uint8Array }, [x0, y0, x1, y1]: readonly number[]): Uint8Array {
  const rows = [];
  for (let y = y0 as number; y < (y1 as number); y++)
    rows.push(samples.subarray(y * width + (x0 as number), y * width + (x1 as number)));
  return Buffer.concat(rows);
}

describe.each(Object.entries(STREAMS))('a JPIP client of an image coded as %s', (_, codestream) => {
  it('receives an eighth, then the rest, and decodes the pixels of the file each time', async () => {
    const { bytes, cache } = await client(jp2File(codestream));
    const small = cache.take(await bytes(`cid=a&stream=0&fsiz=${WIDTH / 8},${Math.ceil(HEIGHT / 8)},closest`));
    expect(small.reason).toBe(2);
    expect(openjpegDecode(rebuildCodestream(cache, 0), 3)).toEqual(openjpegDecode(codestream, 3));
    const full = cache.take(await bytes(`cid=a&stream=0&fsiz=${WIDTH},${HEIGHT},closest`));
    expect(full.messages).toBeGreaterThan(0);
    expect(openjpegDecode(rebuildCodestream(cache, 0), 0)).toEqual(openjpegDecode(codestream, 0));
    const again = `cid=a&stream=0&fsiz=${WIDTH},${HEIGHT},closest&rsiz=${WIDTH},${HEIGHT}`;
    expect(cache.take(await bytes(again))).toMatchObject({ messages: 0 });
    expect([cache.repeatedBytes, cache.repeatedBins]).toEqual([0, 0]);
  });

  it('receives the same image in responses of 700 bytes', async () => {
    const { bytes, cache } = await client(jp2File(codestream));
    const reasons = new Set<number | null>();
    for (let last = 4 as number | null; last === 4; reasons.add(last)) {
      const response = await bytes(`cid=a&fsiz=${WIDTH},${HEIGHT}&len=700`);
      expect(response.length).toBeLessThanOrEqual(700);
      const { reason, dataBytes } = cache.take(response);
      expect(dataBytes).toBeGreaterThan(0);
      last = reason;
    }
    expect([...reasons]).toEqual([4, 2]);
    expect(cache.repeatedBytes).toBe(0);
    expect(openjpegDecode(rebuildCodestream(cache, 0), 0)).toEqual(openjpegDecode(codestream, 0));
  });

  it('receives the requested layers first and the others later', async () => {
    const { bytes } = await jpipArchive(jp2File(codestream));
    const [one, all] = [new BinCache(), new BinCache()];
    const whole = all.take(await bytes(`cid=a&fsiz=${WIDTH},${HEIGHT}`));
    const first = one.take(await bytes(`cid=b&fsiz=${WIDTH},${HEIGHT}&layers=1`));
    const rest = one.take(await bytes(`cid=b&fsiz=${WIDTH},${HEIGHT}`));
    expect(first.dataBytes + rest.dataBytes).toBe(whole.dataBytes);
    expect(one.repeatedBytes).toBe(0);
    expect([...one.bins.values()].every(({ complete }) => complete)).toBe(true);
    expect(rebuildCodestream(one, 0)).toEqual(rebuildCodestream(all, 0));
  });
});

describe('a window smaller than the image', () => {
  const codestream = STREAMS['RPCL with precincts'] as Uint8Array;

  it.each([
    { reduce: 0, box: [130, 70, 250, 190] },
    { reduce: 1, box: [3, 5, 60, 50] },
    { reduce: 2, box: [99, 74, 100, 75] },
  ])('decodes to its pixels at $reduce discarded levels, and takes fewer bytes than the image', async ({ reduce, box }) => {
    const [x0, y0, x1, y1] = box as [number, number, number, number];
    const { bytes } = await jpipArchive(jp2File(codestream));
    const [cache, whole] = [new BinCache(), new BinCache()];
    const size = `fsiz=${Math.ceil(WIDTH / 2 ** reduce)},${Math.ceil(HEIGHT / 2 ** reduce)}`;
    const part = cache.take(await bytes(`${size}&roff=${x0},${y0}&rsiz=${x1 - x0},${y1 - y0}`));
    expect(part.dataBytes).toBeLessThan(whole.take(await bytes(size)).dataBytes);
    const shown = openjpegDecode(rebuildCodestream(cache, 0), reduce);
    expect(crop(shown, box)).toEqual(crop(openjpegDecode(codestream, reduce), box));
  });

  it('yields only the main header when it is outside the image', async () => {
    const { bytes, cache } = await client(jp2File(codestream));
    expect(cache.take(await bytes(`fsiz=${WIDTH},${HEIGHT}&roff=5000,0`)).reason).toBe(2);
    expect([...cache.bins.keys()]).toEqual(['6/0/0']);
  });
});

it.each([
  ['200,150', 1],
  ['199,150', 2],
  ['199,150,round-down', 2],
  ['199,150,round-up', 1],
  ['201,1,round-up', 0],
  ['300,225,closest', 1],
  ['9,9,closest', 5],
  ['1,1,round-down', 5],
  ['9999,9999,round-up', 0],
])('the resolution of the response: fsiz=%s of a 400 x 300 image discards %i levels', async (size, reduce) => {
  const { index } = await jpipArchive(STREAMS['RPCL with precincts'] as Uint8Array);
  const { frameSize } = parseJpipRequest(`fsiz=${size}`);
  expect(frameSize && chooseReduction(index, frameSize)).toBe(reduce);
});

/** Conformance streams with several tiles, no subsampling and no progression order change. */
const TILED = conformanceStreams.filter((name) => /^p1_0[46]\.j2k$/.test(name));

it.skipIf(TILED.length === 0)('tiled conformance streams of SAMPLES_DIR decode identically from their data-bins', async () => {
  for (const name of TILED) {
    const codestream = readConformanceFile(name);
    const { bytes, index, cache } = await client(codestream);
    cache.take(await bytes(`fsiz=${index.size.x1 - index.size.x0},${index.size.y1 - index.size.y0},closest`));
    expect([name, openjpegDecode(rebuildCodestream(cache, 0), 0)]).toEqual([name, openjpegDecode(codestream, 0)]);
  }
});

describe.skipIf(!hasOpj)('streams of opj_compress (libopenjp2-tools)', () => {
  const options = ['-n', '4', '-r', '20,5,1', '-c', '[64,64],[32,32]', '-SOP', '-EPH'];
  const tiled = () => opjCompress(colour, [...options, '-p', 'RLCP', '-t', '128,96', '-TP', 'R']);

  it.each<[string, () => Uint8Array]>([
    ['with tiles, precincts and tile-parts', tiled],
    ['with packet headers in the main header', () => packHeaders(opjCompress(colour, [...options, '-p', 'PCRL']), 'PPM', 40_000)],
    [
      'with packet headers in the tile-part header',
      () => packHeaders(opjCompress(colour, [...options, '-p', 'LRCP']), 'PPT', 37),
    ],
  ])('%s decode identically from their data-bins', async (_, stream) => {
    const { bytes, cache } = await client(stream());
    cache.take(await bytes(`fsiz=${WIDTH},${HEIGHT}`));
    const { samples } = openjpegDecode(rebuildCodestream(cache, 0), 0);
    const source = Uint8Array.from(
      { length: samples.length },
      (__, i) => colour.components[i % 3]?.[Math.floor(i / 3)] as number,
    );
    expect(Buffer.from(samples).equals(source)).toBe(true);
  });

  it('yield the pixels of a window across tiles', async () => {
    const [codestream, box] = [tiled(), [100, 80, 190, 120]];
    const { bytes, cache } = await client(codestream);
    const part = cache.take(await bytes(`fsiz=${WIDTH},${HEIGHT}&roff=100,80&rsiz=90,40`));
    expect(part.dataBytes).toBeLessThan(codestream.length / 2);
    const [shown, whole] = [rebuildCodestream(cache, 0), codestream].map((bare) => openjpegDecode(bare, 0));
    const inBytes = box.map((edge, i) => (i % 2 ? edge : edge * 3));
    const rows = (image = whole) => crop({ width: WIDTH * 3, samples: image?.samples as Uint8Array }, inBytes);
    expect(rows(shown).length).toBe(90 * 40 * 3);
    expect(rows(shown)).toEqual(rows(whole));
  });
});

/** One of the three files of AIA, whose codestreams have one form. */
const realFiles = archiveFiles.filter((name) => !/AIA_(171|193)/.test(name));

it.skipIf(archiveFiles.length === 0).each(realFiles)(
  'a real archive file of SAMPLES_DIR: %s decodes identically from its data-bins at an eighth and in full, and no byte is sent twice',
  async (name) => {
    const jp2 = readArchiveFile(name);
    const { bytes, index, cache } = await client(jp2);
    const codestream = jp2.subarray(index.codestreamOffset, index.codestreamOffset + index.codestreamLength);
    const { x1, y1 } = index.size;
    for (const reduce of [3, 0]) {
      const size = `${Math.ceil(x1 / 2 ** reduce)},${Math.ceil(y1 / 2 ** reduce)}`;
      cache.take(await bytes(`cid=a&stream=0&fsiz=${size},closest&rsiz=${size}&roff=0,0`));
      const [ours, theirs] = [rebuildCodestream(cache, 0), codestream].map((stream) => openjpegDecode(stream, reduce));
      expect(ours?.samples.length).toBeGreaterThan(0);
      expect(Buffer.from(ours?.samples ?? []).equals(theirs?.samples ?? new Uint8Array(0))).toBe(true);
    }
    expect([cache.repeatedBytes, cache.repeatedBins]).toEqual([0, 0]);
  },
);
