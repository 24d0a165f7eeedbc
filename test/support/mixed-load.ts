// The service of one isolate under a mixed load: tiles, differences, screenshots, whole images, also filtered, events, JPIP and headers.
import { createHash } from 'node:crypto';
import { FrameRenderer } from '../../src/archive/drawing/frame-renderer.ts';
import { ImageFileRenderer } from '../../src/archive/drawing/image-downloads.ts';
import { LayerRenderer } from '../../src/archive/drawing/layer-renderer.ts';
import { MovingFrameRenderer } from '../../src/archive/drawing/moving-frames.ts';
import { TileRenderer } from '../../src/archive/drawing/tile.ts';
import { CachedImageIndex } from '../../src/archive/image-index/cached-image-index.ts';
import { archivePath } from '../../src/archive/keys.ts';
import { Coefficients } from '../../src/archive/reading/coefficients.ts';
import { ImageReader } from '../../src/archive/reading/image-reader.ts';
import { D1EventCounts } from '../../src/events/d1-event-counts.ts';
import { type EventLimits, R2EventDays } from '../../src/events/event-days.ts';
import { EventService } from '../../src/events/event-service.ts';
import type { EventFeed } from '../../src/events/ports.ts';
import { hekEvent } from '../../src/events/records/hek.ts';
import { keepRastersIn } from '../../src/picture/overlays/drawing/draw.ts';
import { EVENT_MEMORY, EVENT_REQUESTS, EVENT_TTL_MS } from '../../src/platform/limits/events.ts';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { MemoryBudget, type MemoryLimits } from '../../src/platform/util/memory-budget.ts';
import { hekRecord } from './events/event-records.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import type { SampleArchive } from './sample-archive.ts';
import { servedApp, testServices } from './test-services.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** A source with this many events of 5 kB a day. */
function feedOf(eventsPerDay: number): EventFeed {
  const load = async (dayMs: number) => {
    const day = iso(dayMs).slice(0, 10);
    const records = Array.from({ length: eventsPerDay }, (_, i) =>
      hekRecord({
        kb_archivid: `ivo://sun.test/${day}-${i}`,
        event_starttime: `${day}T00:00:00`,
        event_endtime: `${day}T23:59:59`,
        event_description: 'x'.repeat(5_000),
      }),
    );
    return { records, isCut: false, missing: [] };
  };
  return { name: 'hek', source: 'HEK', read: hekEvent, load };
}

interface IsolateOptions {
  readonly limits: MemoryLimits;
  readonly eventsPerDay: number;
  /** How many times as long as in production jobs wait for memory and for events, for a busy machine. */
  readonly patience: number;
}

/** Limits of events with waits this many times as long. */
function patientLimits(patience: number): EventLimits {
  const { dayMs, staleWaitMs } = EVENT_REQUESTS;
  return { dayMs: patience * dayMs, staleWaitMs: patience * staleWaitMs, memory: EVENT_MEMORY, ttlMs: EVENT_TTL_MS };
}

/** The service of a new isolate, with a copy of the archive. */
export function isolateOn(archive: SampleArchive, { limits, eventsPerDay, patience }: IsolateOptions) {
  const memory = new MemoryBudget({ ...limits, now: () => performance.now() / patience });
  const objects = new MemoryObjectStore();
  for (const [key, bytes] of archive.objects.objects) objects.objects.set(key, bytes);
  const nowMs = archive.images[0]!.takenAtMs + 30 * DAY_MS;
  const clock = () => nowMs;
  const log = () => undefined;
  const index = new CachedImageIndex({ databases: archive.index.databases, objects, clock, memory });
  const coefficients = new Coefficients({ objects, makes: ['A', 'B', 'C'], log, memory });
  const reader = new ImageReader({ objects, coefficients, memory });
  const layers = new LayerRenderer(reader);
  const counts = new D1EventCounts(archive.index.databases);
  const eventPorts = {
    feeds: [feedOf(eventsPerDay)],
    store: new R2EventDays(new MemoryObjectStore()),
    counts,
    clock,
    log,
    memory,
    limits: patientLimits(patience),
  };
  const events = new EventService(eventPorts);
  keepRastersIn(memory);
  const renderers = {
    tiles: new TileRenderer({ layers }),
    movingFrames: new MovingFrameRenderer({ layers }),
    imageFiles: new ImageFileRenderer({ layers }),
    pictures: new FrameRenderer({ layers }),
    afterRendering: () => coefficients.makeRequested(),
  };
  const app = servedApp(testServices({ index, objects, renderers, reader, events, clock, log, memory }));
  /** Status and digest of a response, past the edge cache: each request has its share of the memory. */
  const get = async (path: string) => {
    const response = await app.direct(`http://sun.test${path}`);
    const body = new Uint8Array(await response.arrayBuffer());
    return `${response.status} ${createHash('sha256').update(body).digest('hex')}`;
  };
  return { get, settle: app.settle, memory, objects };
}

interface Load {
  /** Arcseconds per pixel of the tiles around the centre. */
  readonly tileScale: number;
  /** Days of events. */
  readonly days: number;
  /** Sides in pixels and layers of the screenshots. */
  readonly screenshots: readonly { readonly side: number; readonly layers: string }[];
  /** Width in pixels of whole images. */
  readonly width: number;
}

/** Arcseconds that a screenshot shows. */
const FIELD_ARCSEC = 2_450;
/** Has no divisor in common with the number of paths, so that each is taken once. */
const STEP = 37;

const CENTRE = [
  [-1, -1],
  [0, -1],
  [-1, 0],
  [0, 0],
];

/** Different paths of all kinds, in an order that mixes them. */
export function mixedPaths({ images }: SampleArchive, { tileScale, days, screenshots, width }: Load): string[] {
  const paths: string[] = [];
  const tile = (id: number, x: number, y: number, scale: number) => `/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${scale}`;
  for (const { id, key, sourceId, takenAtMs } of images) {
    for (const [x, y] of CENTRE) paths.push(tile(id, x!, y!, tileScale));
    paths.push(tile(id, 0, 0, 2 * tileScale), `/v2/getJP2Header/?id=${id}`);
    paths.push(`/${archivePath(key)}?fsiz=256,256&roff=0,0&rsiz=256,256&type=jpp-stream`);
    paths.push(`/v2/getClosestImage/?sourceId=${sourceId}&date=${iso(takenAtMs + id)}`);
  }
  const [first, second] = images;
  for (const { id } of images.filter((image) => image.sourceId === first!.sourceId).slice(1)) {
    paths.push(`${tile(id, 0, 0, 2 * tileScale)}&difference=1&diffCount=1&diffTime=0`);
  }
  const noonMs = Math.floor(first!.takenAtMs / DAY_MS) * DAY_MS + DAY_MS / 2;
  for (let day = 0; day < days; day += 1) paths.push(`/v2/events/?startTime=${iso(noonMs - day * DAY_MS)}&sources=HEK`);
  for (const { side, layers } of screenshots) {
    const scene = `date=${iso(second!.takenAtMs)}&imageScale=${FIELD_ARCSEC / side}&layers=${layers}&x0=0&y0=0&width=${side}&height=${side}`;
    // Without events, for which a picture waits a few seconds only.
    paths.push(`/v2/takeScreenshot/?${scene}&scale=true&display=true`);
  }
  for (const filter of ['rhef', 'mgn']) paths.push(`/v2/downloadImage/?id=${first!.id}&width=${width}&filter=${filter}`);
  for (const type of ['png', 'jpg', 'webp']) paths.push(`/v2/downloadImage/?id=${first!.id}&width=${width}&type=${type}`);
  return paths.map((_, i) => paths[(i * STEP) % paths.length]!);
}
