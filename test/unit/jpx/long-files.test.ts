// Linked JPX files of up to 20,000 frames: what is read to record and to open them, by the invocation and by its calls.
import { describe, expect, it } from 'vitest';
import { encodeGrey } from '../../../demo/jp2/encode.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { serveJpip } from '../../../src/faces/jpip/response.ts';
import { JpipTargets } from '../../../src/faces/jpip/target.ts';
import { jpxResponse } from '../../../src/faces/jpx/jpx.ts';
import { chargedParts, framesOf, jpxParts, recordJpx } from '../../../src/faces/jpx/jpx-manifest.ts';
import { sourceStream } from '../../../src/faces/jpx/source-stream.ts';
import type { Context } from '../../../src/faces/services.ts';
import { SourceSequence } from '../../../src/jp2/byte-source.ts';
import { parseJpipRequest } from '../../../src/jp2/jpip/request.ts';
import { jpxLayout } from '../../../src/jp2/jpx/layout.ts';
import { encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { JPIP, JPX, JPX_COST, MOST_EMBEDDED_FRAMES, MOST_JPX_FRAMES } from '../../../src/platform/limits/jpx.ts';
import { SERVICE_VARIABLES } from '../../../src/platform/settings/service.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { Failure } from '../../../src/platform/util/errors.ts';
import { formatIso } from '../../../src/sun/time.ts';
import { calling, type JpxEntry, outcomeOf } from '../../../src/worker/platform.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { jpipArchive } from '../../support/jpx/jpip-archive.ts';
import { messagesOf } from '../../support/jpx/jpip-stream.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { testArchive } from '../../support/test-archive.ts';

const XML = `<meta>${'a header of some length '.repeat(10)}</meta>`;
const FILE = jp2File(
  encodeGrey({ width: 16, height: 16, samples: new Uint8Array(256) }, { levels: 1, layerRatios: [1.1], packetLengths: true }),
  XML,
);
const SIDECAR = encodeSidecar(indexJp2(FILE));
const IMAGES = Array.from({ length: MOST_JPX_FRAMES }, (_, i) => {
  return { id: i + 1, ...makeImage(10, i * 12_000, { fileName: `image${i}.jp2`, byteLength: FILE.length }) };
});
const PARTS = MOST_JPX_FRAMES / JPX.partFrames;
/** Subrequests of an invocation, and calls of a request. */
const MOST_READS = 9_650;
const MOST_CALLS = 32;

/** The archive, and the service whose calls for parts are counted by what each reads. */
async function longMovie(images = IMAGES) {
  const archive = await jpipArchive(FILE);
  const { objects } = archive;
  for (const { key } of images) {
    objects.objects.set(key, FILE);
    objects.objects.set(sidecarKey(key, SIDECAR_VERSION), SIDECAR);
  }
  const calls: MemoryObjectStore[] = [];
  const entry = async (): Promise<JpxEntry> => {
    const own = Object.assign(new MemoryObjectStore(), { objects: objects.objects });
    calls.push(own);
    const { layouts, store } = jpxParts(own);
    return { layouts: (...given) => outcomeOf(layouts(...given)), store: (...given) => outcomeOf(store(...given)) };
  };
  const parts = calling(entry);
  // Only those that a test withdraws are looked up.
  const index = new MemoryImageIndex(images.slice(-1));
  const ports = { ...archive.ports, index, parts };
  const caller = callOf();
  const record = () => {
    const form = { name: 'long', linked: true, style: 'standard', images, isForJpip: true } as const;
    return recordJpx(objects, form, caller.admission, parts);
  };
  const targets = new JpipTargets(ports);
  const reads = () => calls.splice(0).map((own) => own.reads.length);
  /** The response to a client that opens the movie with all metadata. */
  const open = async () => {
    const target = await targets.find('movies/long.jpx');
    const request = parseJpipRequest('cnew=http&type=jpp-stream&metareq=[*]!!');
    return (await serveJpip(ports, target, request, caller)).body;
  };
  return { images, objects, index, parts, record, targets, reads, open, ports, caller };
}

function refuse(): never {
  throw new Failure('rate-limited', 'Too many.');
}

/** The chunks of a stream, one after another. */
async function* chunksOf(body: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

const movie = await longMovie();
const manifest = await movie.record();

describe('a linked JPX file of 20,000 frames', () => {
  it('takes calls that read a part each to be recorded, and one object for each part to be opened by JPIP', async () => {
    const [recorded, made] = [movie.objects.reads.splice(0), movie.reads()];
    // The name, which has no record yet.
    expect(recorded.length).toBeLessThan(3);
    expect([made.length, Math.max(...made), made.length < MOST_CALLS]).toEqual([2 * PARTS, JPX.partFrames, true]);
    let [bytes, longest] = [0, 0];
    const kept: Uint8Array[] = [];
    for await (const chunk of chunksOf(await movie.open())) {
      [bytes, longest] = [bytes + chunk.length, Math.max(longest, chunk.length)];
      kept.push(chunk);
    }
    expect(bytes).toBeGreaterThan(MOST_JPX_FRAMES * XML.length);
    expect(longest).toBeLessThan(2 * JPIP.batchBytes);
    const opening = movie.objects.reads.splice(0);
    expect([movie.reads(), opening.filter(({ key }) => key.startsWith('jp2/'))]).toEqual([[], []]);
    expect(new Set(opening.map(({ key }) => key)).size).toBe(PARTS + 1);
    expect(opening.length).toBeLessThan(2 * PARTS + bytes / (JPIP.batchBytes / 2));
    const received = Buffer.concat(kept);
    const last = [...messagesOf(received)].at(-1)!;
    expect(last).toMatchObject({ reason: 2 });
    expect(received.toString('latin1').split('<meta>').length - 1).toBe(MOST_JPX_FRAMES);
  });

  it('reads a part of its XML while the one before is sent', async () => {
    movie.objects.reads = [];
    const chunks = chunksOf(await movie.open());
    await chunks.next();
    const read = () => {
      const parts = movie.objects.reads.filter(({ key }) => key.endsWith('.xml'));
      return parts.reduce((sum, { length }) => sum + length, 0) / JPIP.batchBytes;
    };
    const first = read();
    await chunks.next();
    expect([first > 1.2, first < 2.2, read() - first < 1.1]).toEqual([true, true, true]);
    await chunks.return(undefined);
  });

  it('sends its XML from the parts, many frames at a read', async () => {
    movie.objects.reads = [];
    const context = { services: { objects: movie.objects, jpip: { parts: movie.parts } }, ...movie.caller } as unknown as Context;
    const file = await jpxResponse(manifest, context);
    let bytes = 0;
    for await (const chunk of await file.open()) bytes += chunk.length;
    expect([bytes, movie.reads()]).toEqual([file.length, []]);
    expect(movie.objects.reads.length).toBeLessThan(MOST_JPX_FRAMES / 50);
    const from = Math.floor(file.length / 2) - 5000;
    const part = await file.open({ offset: from, length: 10_000 });
    const ofImages = new SourceSequence(jpxLayout(framesOf(manifest), manifest).sources).slice(from, from + 10_000);
    const bytesOf = async (body: ReadableStream<Uint8Array>) =>
      new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
    expect(Buffer.compare(await bytesOf(part), await bytesOf(sourceStream(movie.objects, ofImages)))).toBe(0);
  });

  it.each(['stream=0-4096&fsiz=1,1,closest', 'stream=0-&fsiz=1,1,closest', 'context=jpxl<0-9999:2>&fsiz=1,1'])(
    'refuses a request for more than an invocation reads, and names the most codestreams: %s',
    async (query) => {
      const target = await movie.targets.find('movies/long.jpx');
      await expect(serveJpip(movie.ports, target, parseJpipRequest(query), movie.caller)).rejects.toMatchObject({
        kind: 'bad-parameter',
        parameter: 'stream',
        message: expect.stringMatching(/^Expected at most 4096 codestreams for stream, got (4097|5000|20000)\./),
      });
    },
  );

  it('opens by making the parts that it lacks, each charged its frames, and goes on there after a refusal', async () => {
    for (const key of movie.objects.objects.keys()) if (key.startsWith('derived/')) movie.objects.objects.delete(key);
    movie.targets.forget('movies/long.jpx');
    const target = await movie.targets.find('movies/long.jpx');
    const charged: number[] = [];
    const refusing = { admit: async (_: string, images: number) => void (charged.push(images) > 3 && refuse()) };
    await expect(target.metadata({ ...movie.ports, parts: chargedParts(movie.parts, refusing) })).rejects.toMatchObject({
      kind: 'rate-limited',
    });
    expect(charged[0]).toBe(JPX.partFrames);
    const storedParts = () => [...movie.objects.objects.keys()].filter((key) => key.startsWith('derived/')).length;
    await expect.poll(storedParts).toBe(3);
    charged.splice(0);
    const counting = { admit: async (_: string, images: number) => void charged.push(images) };
    await target.metadata({ ...movie.ports, parts: chargedParts(movie.parts, counting) });
    expect(charged).toEqual(Array(PARTS - 3).fill(JPX.partFrames));
  });

  it('disappears with a withdrawn image, and fails with the sentence of a missing file', async () => {
    const target = await movie.targets.find('movies/long.jpx');
    movie.index.withdraw(movie.images.at(-1)!.id);
    await expect(target.metadata(movie.ports)).rejects.toMatchObject({ kind: 'withdrawn' });
    const { key } = movie.images[7]!;
    movie.objects.objects.delete(key);
    movie.objects.objects.delete(sidecarKey(key, SIDECAR_VERSION));
    movie.objects.objects.delete('jpx/long.json');
    await expect(movie.record()).rejects.toMatchObject({ kind: 'missing-file' });
  });
});

it('requests for more than an invocation reads get the codestreams that an invocation reads', async () => {
  const { record, targets, ports, caller, objects } = await longMovie(IMAGES.slice(0, 2 * JPIP.stepCodestreams));
  await record();
  const target = await targets.find('movies/long.jpx');
  objects.reads = [];
  const { body } = await serveJpip(ports, target, parseJpipRequest('stream=0-&fsiz=1,1,closest'), caller);
  for await (const _ of chunksOf(body));
  // Two for each, of the metadata a few, so that the most codestreams stay within an invocation.
  const perCodestream = (objects.reads.length - 6) / (2 * JPIP.stepCodestreams);
  expect(perCodestream).toBeLessThanOrEqual(2);
  expect(perCodestream * JPIP.requestCodestreams).toBeLessThan(MOST_READS);
});

it('requests for more than an invocation reads make files of 3200 frames that contain them, and the message says so', async () => {
  const images = IMAGES.slice(0, MOST_EMBEDDED_FRAMES + 100);
  const { objects } = await longMovie(images);
  const settings = readVariables(SERVICE_VARIABLES, { JPX_FRAMES: '20000' });
  const { get } = testArchive({ objects, settings, index: new MemoryImageIndex(images) });
  const range = `startTime=${formatIso(0)}&endTime=${formatIso(images.length * 12_000)}&sourceId=10&cadence=0&verbose=true`;
  objects.reads = [];
  const made = async (more: string) => {
    return (await (await get(`/v2/getJPX/?${range}${more}`)).json()) as { frames: number[]; message: string; uri: string };
  };
  const embedded = await made('');
  expect([embedded.frames.length, embedded.message]).toEqual([
    MOST_EMBEDDED_FRAMES,
    expect.stringContaining('cut at the maximum of 3200 frames per request'),
  ]);
  const file = await get(new URL(embedded.uri).pathname);
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(MOST_EMBEDDED_FRAMES * 300);
  // To be recorded and sent at once: a sidecar, the XML and the codestream of each frame.
  expect(objects.reads.length).toBeLessThan(MOST_READS - 40);
  expect(objects.reads.length).toBeGreaterThan(MOST_READS - 60);
  const linked = await made('&linked=true');
  expect([linked.frames.length, linked.message]).toEqual([images.length, null]);
});

it('a file of 20,000 frames costs no more than the units of a minute', () => {
  expect(Math.ceil(MOST_JPX_FRAMES / JPX_COST.unitFrames)).toBeLessThanOrEqual(60);
  expect(2 * JPX.partFrames).toBeLessThan(MOST_READS);
});
