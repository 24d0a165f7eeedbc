// The image index of a service that has the sample archive: recent images are made when a search comes near them.
import { RECENT_CADENCE_MS, RECENT_SOURCES, recentBlocks, type TimeSpan } from '../domain/recent-sample.ts';
import type { ImageIndex } from '../ports/images.ts';
import type { Clock, Log } from '../ports/timing.ts';
import { boundedFetch } from './http/bounded-fetch.ts';

/** Time in which a server makes the blocks of one search; the search then takes what there is. */
const DEADLINE_MS = 60_000;
const RESPONSE_BYTES = 4096;

/** Blocks remembered as made. */
const REMEMBERED = 10_000;

/** Adds the images of blocks, given by their starts, to the archive. */
export type MakeRecentImages = (sourceId: number, blocksMs: readonly number[]) => Promise<void>;

/** Makes images by the server at `url`, which responds once the archive has them. */
export function recentImagesFrom(url: string): MakeRecentImages {
  return async (sourceId, blocksMs) => {
    const query = new URLSearchParams({ sourceId: `${sourceId}`, blocks: blocksMs.join(',') });
    await boundedFetch(new URL(`${url}/?${query}`), {
      signal: AbortSignal.timeout(DEADLINE_MS),
      maxBytes: RESPONSE_BYTES,
      redirects: 0,
      accept: 'application/json',
    });
  };
}

interface Ports {
  readonly index: ImageIndex;
  readonly make: MakeRecentImages;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the images around each time of a search before the search. A failure to make them is logged, and the search goes on. */
export class RecentSampleIndex implements ImageIndex {
  readonly #ports: Ports;
  /** Source and start of the blocks that the archive has. */
  readonly #made = new Set<string>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get #index(): ImageIndex {
    return this.#ports.index;
  }

  byId: ImageIndex['byId'] = (id) => this.#index.byId(id);

  byIds: ImageIndex['byIds'] = (ids) => this.#index.byIds(ids);

  byFileName: ImageIndex['byFileName'] = (fileName) => this.#index.byFileName(fileName);

  withdrawn: ImageIndex['withdrawn'] = (ids) => this.#index.withdrawn(ids);

  withdrawnByFileName: ImageIndex['withdrawnByFileName'] = (fileName) => this.#index.withdrawnByFileName(fileName);

  extents: ImageIndex['extents'] = () => this.#index.extents();

  neighbours: ImageIndex['neighbours'] = async (sourceId, atMs) => {
    await this.#make(sourceId, [around(atMs)]);
    return this.#index.neighbours(sourceId, atMs);
  };

  adjacentTimes: ImageIndex['adjacentTimes'] = async (sourceId, atMs) => {
    await this.#make(sourceId, [around(atMs)]);
    return this.#index.adjacentTimes(sourceId, atMs);
  };

  neighboursOfTimes: ImageIndex['neighboursOfTimes'] = async (sourceId, timesMs) => {
    await this.#make(sourceId, timesMs.map(around));
    return this.#index.neighboursOfTimes(sourceId, timesMs);
  };

  ends: ImageIndex['ends'] = async (sourceId, fromMs, toMs) => {
    await this.#make(sourceId, [{ fromMs, toMs }]);
    return this.#index.ends(sourceId, fromMs, toMs);
  };

  inRange: ImageIndex['inRange'] = async (sourceId, fromMs, toMs, limit) => {
    await this.#make(sourceId, [{ fromMs, toMs }]);
    return this.#index.inRange(sourceId, fromMs, toMs, limit);
  };

  countInRange: ImageIndex['countInRange'] = async (sourceId, fromMs, toMs, atMost) => {
    await this.#make(sourceId, [{ fromMs, toMs }]);
    return this.#index.countInRange(sourceId, fromMs, toMs, atMost);
  };

  /** Lists what is there, because a list may cover everything. */
  listed: ImageIndex['listed'] = (...query) => this.#index.listed(...query);

  /** Counts what is there: a timeline covers far more than a search for images. */
  counts: ImageIndex['counts'] = (...query) => this.#index.counts(...query);

  heldDays: ImageIndex['heldDays'] = (...query) => this.#index.heldDays(...query);

  gaps: ImageIndex['gaps'] = (...query) => this.#index.gaps(...query);

  async #make(sourceId: number, spans: readonly TimeSpan[]): Promise<void> {
    if (!RECENT_SOURCES.includes(sourceId)) return;
    const keyOf = (blockMs: number) => `${sourceId}/${blockMs}`;
    const missing = recentBlocks(spans, this.#ports.clock()).filter((blockMs) => !this.#made.has(keyOf(blockMs)));
    if (missing.length === 0) return;
    try {
      await this.#ports.make(sourceId, missing);
    } catch (error) {
      this.#ports.log({ recentSample: sourceId, error: String(error) });
      return;
    }
    if (this.#made.size > REMEMBERED) this.#made.clear();
    for (const blockMs of missing) this.#made.add(keyOf(blockMs));
  }
}

/** The images before and after a time belong to the blocks of this span. */
const around = (atMs: number): TimeSpan => ({ fromMs: atMs - RECENT_CADENCE_MS, toMs: atMs + RECENT_CADENCE_MS });
