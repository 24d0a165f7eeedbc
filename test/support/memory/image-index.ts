import { memberSources } from '../../../src/domain/catalogue/xrt.ts';
import type { CountedBin } from '../../../src/domain/coverage/bins.ts';
import { NEIGHBOURS } from '../../../src/domain/coverage/gaps.ts';
import type { ArchivedImage, WithdrawnImage } from '../../../src/domain/image.ts';
import type { ImageIndex, ListedTimes, SearchedBins } from '../../../src/ports/images.ts';
import { DAY_MS } from '../../../src/util/durations.ts';

/** Time of withdrawals in tests. */
const WITHDRAWN_AT_MS = Date.UTC(2024, 0, 31);

/** Image index in a list, with a count of its searches. */
export class MemoryImageIndex implements ImageIndex {
  readonly images: ArchivedImage[];
  readonly #withdrawn: Omit<WithdrawnImage, 'replacedBy'>[] = [];
  searches = 0;

  constructor(images: readonly ArchivedImage[]) {
    this.images = [...images].sort((a, b) => a.takenAtMs - b.takenAtMs);
  }

  #of(sourceId: number): ArchivedImage[] {
    this.searches += 1;
    const members = sourceId > 10_000 ? memberSources(sourceId) : [sourceId];
    return this.images.filter((image) => members.includes(image.sourceId));
  }

  async byId(id: number): Promise<ArchivedImage | null> {
    this.searches += 1;
    return this.images.find((image) => image.id === id) ?? null;
  }

  async byIds(ids: readonly number[]): Promise<ArchivedImage[]> {
    this.searches += 1;
    return this.images.filter((image) => ids.includes(image.id));
  }

  async byFileName(fileName: string): Promise<ArchivedImage | null> {
    return this.images.find((image) => image.fileName === fileName) ?? null;
  }

  /** Withdraws an image, and adds another in its place. */
  withdraw(id: number, replacement: ArchivedImage | null = null): void {
    const [image] = this.images.splice(
      this.images.findIndex((one) => one.id === id),
      1,
    );
    const { sourceId, takenAtMs, fileName, key } = image!;
    this.#withdrawn.unshift({ id, sourceId, takenAtMs, fileName, key, withdrawnAtMs: WITHDRAWN_AT_MS });
    if (replacement) this.images.push(replacement);
    this.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
  }

  #withReplacement(image: Omit<WithdrawnImage, 'replacedBy'>): WithdrawnImage {
    const current = this.images.find(({ fileName, sourceId }) => fileName === image.fileName && sourceId === image.sourceId);
    return { ...image, replacedBy: current?.id ?? null };
  }

  async withdrawn(ids: readonly number[]): Promise<WithdrawnImage[]> {
    return this.#withdrawn.filter(({ id }) => ids.includes(id)).map((image) => this.#withReplacement(image));
  }

  async withdrawnByFileName(fileName: string): Promise<WithdrawnImage[]> {
    return this.#withdrawn.filter((image) => image.fileName === fileName).map((image) => this.#withReplacement(image));
  }

  async neighbours(sourceId: number, atMs: number) {
    const images = this.#of(sourceId);
    return {
      before: images.findLast((image) => image.takenAtMs < atMs) ?? null,
      after: images.find((image) => image.takenAtMs >= atMs) ?? null,
    };
  }

  async adjacentTimes(sourceId: number, atMs: number) {
    const images = this.#of(sourceId);
    return {
      beforeMs: images.findLast((image) => image.takenAtMs < atMs)?.takenAtMs ?? null,
      afterMs: images.find((image) => image.takenAtMs > atMs)?.takenAtMs ?? null,
    };
  }

  async ends(sourceId: number, fromMs: number, toMs: number) {
    const images = this.#of(sourceId);
    return {
      first: images.find((image) => image.takenAtMs >= fromMs) ?? null,
      last: images.findLast((image) => image.takenAtMs <= toMs) ?? null,
    };
  }

  async inRange(sourceId: number, fromMs: number, toMs: number, limit: number) {
    const images = this.#of(sourceId).filter(({ takenAtMs }) => takenAtMs >= fromMs && takenAtMs <= toMs);
    return images.slice(0, limit);
  }

  async listed(sourceId: number, { afterMs, toMs }: ListedTimes, limit: number) {
    this.searches += 1;
    const images = this.images.filter(
      (image) => image.sourceId === sourceId && image.takenAtMs > afterMs && image.takenAtMs <= toMs,
    );
    return images.slice(0, limit);
  }

  async heldDays(sourceId: number, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }, limit: number) {
    const images = this.images.filter((image) => image.sourceId === sourceId);
    const days = [...Map.groupBy(images, ({ takenAtMs }) => Math.floor(takenAtMs / DAY_MS) * DAY_MS)].map(([startMs, held]) => ({
      sourceId,
      startMs,
      images: held.length,
      bytes: held.reduce((sum, { byteLength }) => sum + byteLength, 0),
      checksum: Number(held.reduce((sum, { sha256 }) => sum + BigInt(`0x${sha256.slice(0, 10)}`), 0n) % (1n << 40n)),
    }));
    return days.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs).slice(0, limit);
  }

  async countInRange(sourceId: number, fromMs: number, toMs: number, atMost: number) {
    return (await this.inRange(sourceId, fromMs, toMs, atMost)).length;
  }

  async counts(sourceIds: readonly number[], bins: readonly CountedBin[]) {
    return sourceIds.map((sourceId) => {
      const times = this.#of(sourceId).map(({ takenAtMs }) => takenAtMs);
      const counts = bins.map(([from, to]) => [from, times.filter((ms) => ms >= from && ms < to).length] as const);
      return new Map(counts.filter(([, count]) => count > 0));
    });
  }

  async gaps(sourceId: number, { fromMs, toMs, widthMs, longerMs }: SearchedBins, limit: number) {
    const times = this.#of(sourceId).map(({ takenAtMs }) => takenAtMs);
    const bins = [...new Set(times.map((ms) => Math.floor(ms / widthMs) * widthMs))].filter((ms) => ms >= fromMs && ms <= toMs);
    const found = bins.flatMap((start, i) => {
      const next = bins[i + 1];
      if (next === undefined || next - start <= longerMs) return [];
      const beforeMs = times.filter((ms) => ms < start + widthMs).reverse();
      return [{ beforeMs: beforeMs.slice(0, NEIGHBOURS), afterMs: times.filter((ms) => ms >= next).slice(0, NEIGHBOURS) }];
    });
    return found.slice(0, limit);
  }

  async neighboursOfTimes(sourceId: number, timesMs: readonly number[]) {
    const images = this.#of(sourceId);
    return timesMs.map((atMs) => ({
      before: images.findLast((image) => image.takenAtMs < atMs) ?? null,
      after: images.find((image) => image.takenAtMs >= atMs) ?? null,
    }));
  }

  async extents() {
    this.searches += 1;
    const extents = new Map<number, { startMs: number; endMs: number }>();
    for (const { sourceId, takenAtMs } of this.images) {
      extents.set(sourceId, { startMs: extents.get(sourceId)?.startMs ?? takenAtMs, endMs: takenAtMs });
    }
    return extents;
  }
}
