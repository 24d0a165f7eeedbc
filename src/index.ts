// The Worker: what it is asked over HTTP, by the queue and by the clock.
import { createApp } from './app.ts';
import { readSettings } from './config.ts';
import { memberSources } from './domain/catalogue/xrt.ts';
import type { Env } from './env.ts';
import { CacheApiEdgeCache } from './http/edge-cache.ts';
import { SIDECAR_VERSION } from './imaging/jp2/sidecar.ts';
import { adminRoutes } from './routes/admin.ts';
import { FrameRenderer } from './services/frame-renderer.ts';
import { BandImageFileRenderer } from './services/image-file-renderer.ts';
import { ImageReader } from './services/image-reader.ts';
import { ingest } from './services/ingest.ts';
import { inspectJp2 } from './services/inspect-jp2.ts';
import { LayerRenderer } from './services/layer-renderer.ts';
import { BandPictureRenderer } from './services/picture-renderer.ts';
import { sweepAbandonedUploads } from './services/sweep.ts';
import { LayerTileRenderer } from './services/tile-renderer.ts';
import { D1ImageIndex } from './storage/d1-image-index.ts';
import { D1ImageRegister } from './storage/d1-image-register.ts';
import { D1Screenshots } from './storage/d1-screenshots.ts';
import { D1UploadJournal } from './storage/d1-upload-journal.ts';
import { databasesFrom } from './storage/databases.ts';
import { DurableChannels } from './storage/durable-channels.ts';
import { R2ObjectStore } from './storage/r2-object-store.ts';

export { JpipChannel } from './storage/jpip-channel.ts';

const clock = () => Date.now();
const stopwatch = () => performance.now();

/** Everything the Worker is made of; the bindings of an isolate never change. */
function assemble(env: Env) {
  const settings = readSettings({ ...env });
  const databases = databasesFrom({ ...env }, env.SHARD_DATABASES);
  const index = new D1ImageIndex(databases, membersOf);
  const objects = new R2ObjectStore(env.ARCHIVE);
  const journal = new D1UploadJournal(databases, clock);
  const register = new D1ImageRegister(databases);
  const uploads = { index, register, journal, objects, inspector: inspectJp2, clock, sidecarVersion: SIDECAR_VERSION };
  const reader = new ImageReader({ objects, now: stopwatch });
  const layers = new LayerRenderer(reader, stopwatch);
  const app = createApp(
    {
      index,
      objects,
      tiles: new LayerTileRenderer(layers, stopwatch),
      imageFiles: new BandImageFileRenderer(layers, stopwatch),
      pictures: new BandPictureRenderer(new FrameRenderer(layers), stopwatch),
      screenshotRegister: new D1Screenshots(databases),
      edgeCache: new CacheApiEdgeCache(caches.default),
      clock,
      settings,
      assets: env.ASSETS,
      rateLimiter: env.RENDER_LIMIT,
      jpip: {
        openIndex: (key) => reader.openIndex(key, {}),
        channels: new DurableChannels(env.JPIP_CHANNELS),
        rateLimiter: env.JPIP_LIMIT,
      },
    },
    {
      '/admin': adminRoutes({
        index,
        ingest: (fileName, jp2) => ingest(uploads, fileName, jp2),
        adminToken: settings.adminToken,
      }),
    },
  );
  return { app, uploads };
}

let assembled: ReturnType<typeof assemble> | undefined;

const worker: ExportedHandler<Env> = {
  fetch(request, env, context) {
    assembled ??= assemble(env);
    return assembled.app.fetch(request, env, context);
  },

  async scheduled(_event, env) {
    assembled ??= assemble(env);
    const removed = await sweepAbandonedUploads(assembled.uploads);
    if (removed > 0) console.log(JSON.stringify({ sweptUploads: removed }));
  },

  /** No kind of job exists yet: what arrives is from another version and is let go with a line in the log. */
  async queue(batch) {
    for (const message of batch.messages) {
      console.warn(JSON.stringify({ unknownJob: message.id, queue: batch.queue }));
      message.ack();
    }
  },
};

export default worker;

/** Members of a group of sources, or the source alone. */
function membersOf(sourceId: number): readonly number[] {
  const members = memberSources(sourceId);
  return members.length > 0 ? members : [sourceId];
}
