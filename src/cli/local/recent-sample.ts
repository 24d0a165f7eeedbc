// The server behind RECENT_SAMPLE_URL: makes recent images of the sample Sun and ingests them into the local service.
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecentShot } from '../../../demo/recent.ts';
import { isRecentBlock, RECENT_SOURCES } from '../../domain/recent-sample.ts';
import type { AdminClient } from '../ingest/admin-client.ts';
import { fileSource } from '../ingest/jp2-sources.ts';
import { uploadAll } from '../ingest/upload.ts';

const HOST = '127.0.0.1';
const PARALLEL_UPLOADS = 2;

/** The images of demo/recent.ts. */
export interface RecentImages {
  recentShots(sourceId: number, blockMs: number): readonly RecentShot[];
  writeRecent(shots: readonly RecentShot[], folder: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface RecentSampleOptions {
  readonly client: AdminClient;
  /** Whether the archive is the sample's: an archive of other images is left alone. */
  readonly hasSample: () => Promise<boolean>;
  /** Folder of the files until they are ingested. */
  readonly folder: string;
  readonly openImages: () => Promise<RecentImages>;
}

interface Order {
  readonly sourceId: number;
  readonly blocksMs: readonly number[];
}

/** Null unless the query names a source and blocks of the recent images. */
function orderOf(url: string, nowMs: number): Order | null {
  const query = new URL(url, `http://${HOST}`).searchParams;
  const sourceId = Number(query.get('sourceId'));
  const blocksMs = (query.get('blocks') ?? '').split(',').map(Number);
  const isKnown = RECENT_SOURCES.includes(sourceId) && blocksMs.every((blockMs) => isRecentBlock(blockMs, nowMs));
  return isKnown ? { sourceId, blocksMs } : null;
}

export class RecentSample {
  readonly #options: RecentSampleOptions;
  readonly #stopping = new AbortController();
  #server: Server | undefined;
  /** Orders are carried out one after another, so that no image is made twice. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RecentSampleOptions) {
    this.#options = options;
  }

  /** Listens on a free port of 127.0.0.1. @returns the address, without a slash at the end */
  async start(): Promise<string> {
    const server = createServer(async (request, response) => {
      const { status, body } = await this.#respond(request.url ?? '/');
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, HOST, resolve);
    });
    return `http://${HOST}:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#stopping.abort();
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #respond(url: string): Promise<{ status: number; body: object }> {
    const order = orderOf(url, Date.now());
    if (!order) return { status: 400, body: { error: 'Expected a source and blocks of the recent images, got others.' } };
    if (!(await this.#options.hasSample())) return { status: 404, body: { error: 'This archive is not the sample archive.' } };
    const work = this.#last.catch(() => undefined).then(() => this.#carryOut(order));
    this.#last = work;
    return work.then(
      (added) => ({ status: 200, body: { added } }),
      (error: Error) => ({ status: 500, body: { error: error.message } }),
    );
  }

  /** Makes and ingests the images that the archive lacks. @returns their number */
  async #carryOut({ sourceId, blocksMs }: Order): Promise<number> {
    const { client, folder, openImages } = this.#options;
    const { signal } = this.#stopping;
    const images = await openImages();
    const shots = blocksMs.flatMap((blockMs) => images.recentShots(sourceId, blockMs));
    const known = await Promise.all(shots.map(({ fileName }) => client.find(fileName)));
    const missing = shots.filter((_, i) => !known[i]);
    if (missing.length === 0) return 0;
    const files = await images.writeRecent(missing, folder, signal);
    const { first: failure } = await uploadAll(client, files.map(fileSource), { concurrency: PARALLEL_UPLOADS });
    await rm(folder, { recursive: true, force: true });
    if (failure) throw new Error(`Expected every image to be accepted, got for ${failure.label}: ${failure.sentence}`);
    return missing.length;
  }
}
