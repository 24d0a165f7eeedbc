// Grids of images: an object for each image, written by its survey, from which an object for each day of a source is made. Writing or
// removing the grid of an image removes the object of its day, so that a day never has other images than the archive; it is made again by the
// clock, by the back-fill, or by the request that needs it. It has bands of cells, so that one range of bytes has all that a region needs.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import {
  GRID_KINDS,
  type GridKind,
  gridDayKey,
  gridDayOf,
  gridDayPrefix,
  gridKeys,
  gridTimeOf,
  imageGridPrefix,
  sourceGridPrefix,
} from '../../archive/keys.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../platform/limits/memory.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import type { FoundObjects, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { concatenated } from '../../platform/util/bytes.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { when } from '../../platform/util/errors.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { LawScale } from '../../sun/laws/law.ts';
import { dayStart } from '../../sun/time.ts';
import type { CellPlanes, GriddedImage, GridSide } from './image-grid.ts';
import { emptyPlanes, GRID_SIDES, halved, imagesOfTable, tableText } from './image-grid.ts';

/** Rows of cells of a band. */
const BAND_ROWS = 4;

/** The bands of a day in the order of its file: of the finest grid from the top, then of the coarser ones. */
const BANDS = GRID_SIDES.flatMap((side) => Array.from({ length: side / BAND_ROWS }, (_, band) => ({ side, band })));

const bandNumber = (side: GridSide, row: number): number =>
  BANDS.findIndex((each) => each.side === side && each.band === Math.floor(row / BAND_ROWS));

/** An image with its cells, from the top left. */
export interface ImageGrid {
  readonly image: GriddedImage;
  readonly cells: CellPlanes;
}

const HEAD_BYTES = 4;
/** Planes of bytes: the upper and the lower half of the means, below, above, data. */
const PLANES = 5;

const tableOf = (grids: readonly ImageGrid[]) => new TextEncoder().encode(tableText(grids.map(({ image }) => image)));

/** The cells from `first` to `end` of images and their table, compressed. Means are stored as changes from image to image. */
function encodeCells(table: Uint8Array, images: readonly CellPlanes[], first: number, end: number): Uint8Array {
  const length = (end - first) * images.length;
  const bytes = new Uint8Array(HEAD_BYTES + table.length + PLANES * length);
  new DataView(bytes.buffer).setUint32(0, table.length, true);
  bytes.set(table, HEAD_BYTES);
  const [high, low, below, above, data] = planesIn(bytes, table.length, length);
  let at = 0;
  for (let cell = first; cell < end; cell++) {
    let before = 0;
    for (const cells of images) {
      const mean = cells.means[cell]!;
      const change = mean - before;
      high[at] = change >> 8;
      low[at] = change;
      below[at] = cells.below[cell]!;
      above[at] = cells.above[cell]!;
      data[at++] = cells.data[cell]!;
      before = mean;
    }
  }
  return deflateRawSync(bytes);
}

function planesIn(bytes: Uint8Array, tableLength: number, length: number) {
  const from = HEAD_BYTES + tableLength;
  const plane = (number: number) => bytes.subarray(from + number * length, from + (number + 1) * length);
  return [plane(0), plane(1), plane(2), plane(3), plane(4)] as const;
}

/** Compressed cells of images. */
interface Unpacked {
  readonly bytes: Uint8Array;
  readonly tableLength: number;
}

function unpack(piece: Uint8Array): Unpacked {
  const bytes = inflateRawSync(piece);
  return { bytes, tableLength: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) };
}

const imagesIn = ({ bytes, tableLength }: Unpacked) =>
  imagesOfTable(new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + tableLength)));

/** Writes the cells of images from `from` on. @param count Cells of an image */
function decodeCells({ bytes, tableLength }: Unpacked, images: number, count: number, planes: CellPlanes, from: number): void {
  const [high, low, below, above, data] = planesIn(bytes, tableLength, count * images);
  const { means } = planes;
  planes.below.set(below, from);
  planes.above.set(above, from);
  planes.data.set(data, from);
  for (let cell = 0, at = 0; cell < count; cell++) {
    let mean = 0;
    for (let image = 0; image < images; image++, at++) {
      mean = (mean + ((high[at]! << 8) | low[at]!)) & 0xffff;
      means[from + at] = mean;
    }
  }
}

const cellsOf = (side: GridSide) => side * side;

export function decodeImageGrid(bytes: Uint8Array): ImageGrid {
  const unpacked = unpack(bytes);
  const cells = emptyPlanes(cellsOf(GRID_SIDES[0]));
  decodeCells(unpacked, 1, cells.means.length, cells, 0);
  return { image: imagesIn(unpacked)[0]!, cells };
}

/** The file of a day, and the lengths of its bands. `grids`: in the order of time. */
export function encodeGridDay(grids: readonly ImageGrid[]): { readonly bytes: Uint8Array; readonly lengths: readonly number[] } {
  const table = tableOf(grids);
  const scales = grids.map(({ image }) => new LawScale(image.view.law));
  const pieces: Uint8Array[] = [];
  let level = grids.map(({ cells }) => cells);
  for (const side of GRID_SIDES) {
    if (side !== GRID_SIDES[0]) level = level.map((cells, i) => halved(scales[i]!, cells));
    const band = BAND_ROWS * side;
    for (let first = 0; first < cellsOf(side); first += band) pieces.push(encodeCells(table, level, first, first + band));
  }
  return { bytes: concatenated(pieces), lengths: pieces.map(({ length }) => length) };
}

/** The lengths of the bands as metadata of the object, which a listing of days gives without a read. */
export const dayMetadata = (lengths: readonly number[]) => ({ lengths: lengths.map((length) => length.toString(36)).join('.') });

/** The lengths in metadata; null in those of another object. */
function lengthsIn(metadata: Readonly<Record<string, string>> | undefined): number[] | null {
  const lengths = (metadata?.lengths ?? '').split('.').map((length) => Number.parseInt(length, 36));
  return lengths.length === BANDS.length && lengths.every((length) => length > 0) ? lengths : null;
}

/** Bytes of the bands with the rows of cells from `first` to `last` of a grid, in the file of a day. */
export function bandRange(lengths: readonly number[], side: GridSide, first: number, last: number) {
  const sum = (from: number, to: number) => lengths.slice(from, to).reduce((total, length) => total + length, 0);
  const [from, to] = [bandNumber(side, first), bandNumber(side, last) + 1];
  return { offset: sum(0, from), length: sum(from, to) };
}

/** The rows of cells in bytes of `bandRange`, of which each plane has the images of a cell one after another; `firstRow`: the first of the first band. */
function decodeBands(bytes: Uint8Array, lengths: readonly number[], side: GridSide, first: number, last: number) {
  const bands = lengths.slice(bandNumber(side, first), bandNumber(side, last) + 1);
  const cells = BAND_ROWS * side;
  let images: readonly GriddedImage[] | undefined;
  let planes: CellPlanes | undefined;
  let at = 0;
  for (const [i, length] of bands.entries()) {
    const band = unpack(bytes.subarray(at, at + length));
    // All bands of a day have the same table.
    images ??= imagesIn(band);
    planes ??= emptyPlanes(bands.length * cells * images.length);
    decodeCells(band, images.length, cells, planes, i * cells * images.length);
    at += length;
  }
  return { images: images!, planes: planes!, firstRow: Math.floor(first / BAND_ROWS) * BAND_ROWS };
}

interface FoldPorts {
  readonly grids: GridsByKind<'days' | 'waiting' | 'fold'>;
  readonly index: Pick<ImageIndex, 'extents'>;
  readonly clock: Clock;
}

/** Makes a missing day of one source and kind of grids each minute, but for days that are not over. @returns the number of days made */
export async function foldByClock({ grids, index, clock }: FoldPorts): Promise<number> {
  const nowMs = clock();
  const today = dayStart(nowMs);
  const firstMs = today - GRIDS.clockDays * DAY_MS;
  const recent = [...(await index.extents())].filter(([, { endMs }]) => endMs >= firstMs).map(([sourceId]) => sourceId);
  const turns = recent.sort((a, b) => a - b).flatMap((sourceId) => GRID_KINDS.map((kind) => ({ sourceId, grids: grids[kind] })));
  const turn = turns[Math.floor(nowMs / MINUTE_MS) % turns.length];
  if (!turn) return 0;
  const { sourceId } = turn;
  const present = new Set((await turn.grids.days(sourceId, firstMs, today - DAY_MS)).map(({ dayMs }) => dayMs));
  const past = Array.from({ length: GRIDS.clockDays }, (_, day) => firstMs + day * DAY_MS);
  const missing = past.filter((dayMs) => !present.has(dayMs));
  const { value: dayMs } = await turn.grids.waiting(sourceId, missing).next();
  return dayMs !== undefined && (await turn.grids.fold(sourceId, dayMs)) ? 1 : 0;
}

const CONTENT_TYPE = 'application/octet-stream';
/** Keys of a page of a listing. */
const PAGE = 1000;
/** Time from which one image of a day is taken. */
const SLOT_MS = DAY_MS / GRIDS.imagesOfDay;

type GriddedContent = Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'sha256'>;

/** Methods of the grids of each kind. */
export type GridsByKind<Method extends keyof ImageGrids> = Readonly<Record<GridKind, Pick<ImageGrids, Method>>>;

/** A day that has its object. */
export interface GridDay {
  readonly dayMs: number;
  readonly key: string;
  /** Bytes of its bands. */
  readonly lengths: readonly number[];
}

/** Whether bytes were no compressed piece. */
const isOfZlib = (error: Error) => 'code' in error && String(error.code).startsWith('Z_');

export class ImageGrids extends Service<{
  readonly objects: Pick<ObjectStore, 'head' | 'read' | 'readAll' | 'put'> &
    Pick<FoundObjects, 'list'> & { delete(keys: string | readonly string[]): Promise<void> };
  readonly index: Pick<ImageIndex, 'inRange'>;
  readonly memory: MemoryBudget;
  readonly kind: GridKind;
}> {
  #keys(image: GriddedContent) {
    return gridKeys(this.ports.kind, image);
  }

  async has(image: GriddedContent): Promise<boolean> {
    return (await this.ports.objects.head(this.#keys(image)[0])) !== null;
  }

  /**
   * Stores the grid of an image. The object of its day, which lacks it, is removed, with a grid of the other kind by older rules: before, too,
   * because a survey that ends after it has stored the grid is not repeated.
   */
  async put(image: GriddedContent, grid: ImageGrid): Promise<void> {
    const { objects, kind } = this.ports;
    const [own, day] = this.#keys(image);
    await objects.delete(day);
    await objects.put(own, encodeCells(tableOf([grid]), [grid.cells], 0, cellsOf(GRID_SIDES[0])), CONTENT_TYPE);
    const other = kind === 'values' ? 'levels' : 'values';
    await objects.delete([day, ...gridKeys(other, image)]);
  }

  /** The days of a source from `fromMs` to `toMs` that have their object, by time. */
  async days(sourceId: number, fromMs: number, toMs: number): Promise<GridDay[]> {
    const prefix = gridDayPrefix(this.ports.kind, sourceId);
    const days: GridDay[] = [];
    let after = gridDayKey(this.ports.kind, sourceId, dayStart(fromMs) - DAY_MS);
    for (;;) {
      const page = await this.ports.objects.list(prefix, { after, limit: PAGE, withMetadata: true });
      for (const { key, metadata } of page.objects) {
        const dayMs = gridDayOf(key);
        const lengths = lengthsIn(metadata);
        if (Number.isNaN(dayMs) || !lengths) continue;
        if (dayMs > toMs) return days;
        days.push({ dayMs, key, lengths });
      }
      if (page.next === null) return days;
      after = page.next;
    }
  }

  /** Rows of cells of a grid of a day, in whole bands; null where the day has lost its object, or has another since it was listed. */
  async rows({ key, lengths }: GridDay, side: GridSide, first: number, last: number) {
    const { offset, length } = bandRange(lengths, side, first, last);
    const read = this.ports.objects.read(key, offset, length);
    return read
      .then((bytes) => bytes && decodeBands(bytes, lengths, side, first, last))
      .catch(when(Error, (error) => (error instanceof RangeError || isOfZlib(error) ? null : undefined)));
  }

  /** Makes the object of a day from the grids of its images; null without any, or where they change meanwhile. @throws NoMemory */
  async fold(sourceId: number, dayMs: number): Promise<GridDay | null> {
    return this.ports.memory.run(JOB_BYTES.gridDay, MEMORY_WAIT_MS.background, () => this.#fold(sourceId, dayStart(dayMs)));
  }

  async #fold(sourceId: number, dayMs: number): Promise<GridDay | null> {
    const { objects } = this.ports;
    const before = await this.#membersOf(sourceId, dayMs);
    const grids: ImageGrid[] = [];
    const read = (member: string) => objects.readAll(member);
    for await (const bytes of inOrder(onePerSlot(before), GRIDS.readsAtOnce, read)) if (bytes) grids.push(decodeImageGrid(bytes));
    if (grids.length === 0) return null;
    const { bytes, lengths } = encodeGridDay(grids);
    const key = gridDayKey(this.ports.kind, sourceId, dayMs);
    await objects.put(key, bytes, CONTENT_TYPE, dayMetadata(lengths));
    const after = await this.#membersOf(sourceId, dayMs);
    if (after.join() === before.join()) return { dayMs, key, lengths };
    await objects.delete(key);
    return null;
  }

  /** Keys of the grids of a day, by time. Those of images that the archive has no more, which a survey wrote too late, are removed. */
  async #membersOf(sourceId: number, dayMs: number): Promise<string[]> {
    const { objects, index } = this.ports;
    const prefix = imageGridPrefix(this.ports.kind, sourceId, dayMs);
    const keys: string[] = [];
    for (let after = '', more = true; more && keys.length < GRIDS.foundOfDay; ) {
      const page = await objects.list(prefix, { ...(after ? { after } : {}), limit: PAGE });
      keys.push(...page.objects.map(({ key }) => key));
      more = page.next !== null;
      after = page.next ?? '';
    }
    if (keys.length === 0) return keys;
    // The key of an image of the next midnight is not among those of the day.
    const images = await index.inRange(sourceId, dayMs, dayMs + DAY_MS, GRIDS.foundOfDay);
    const present = new Set(images.map((image) => this.#keys(image)[0]));
    const lost = keys.filter((key) => !present.has(key));
    if (lost.length > 0) await objects.delete(lost.slice(0, PAGE));
    return keys.filter((key) => present.has(key)).sort((a, b) => gridTimeOf(a) - gridTimeOf(b));
  }

  /** The days among these whose images have grids, by time. Each listing finds the next of them; there are at most `GRIDS.listings`. */
  async *waiting(sourceId: number, days: readonly number[]): AsyncGenerator<number> {
    let rest = days;
    for (let listing = 0; listing < GRIDS.listings && rest.length > 0; listing++) {
      const foundMs = await this.#firstDay(sourceId, rest[0]!);
      if (foundMs === null) return;
      if (rest.includes(foundMs)) yield foundMs;
      rest = rest.filter((dayMs) => dayMs > foundMs);
    }
  }

  /** Whether images of a source have grids. */
  async hasSource(sourceId: number): Promise<boolean> {
    return (await this.#firstDay(sourceId)) !== null;
  }

  /** The first day whose images have grids, of all or from `fromMs` on; null for none. */
  async #firstDay(sourceId: number, fromMs?: number): Promise<number | null> {
    const { objects, kind } = this.ports;
    const from = fromMs === undefined ? {} : { after: imageGridPrefix(kind, sourceId, fromMs) };
    const [found] = (await objects.list(sourceGridPrefix(kind, sourceId), { ...from, limit: 1 })).objects;
    return found ? gridDayOf(found.key.slice(0, found.key.lastIndexOf('/'))) : null;
  }
}

/** The first of each `SLOT_MS`, of keys by time. */
function onePerSlot(keys: readonly string[]): string[] {
  let last = -1;
  return keys.filter((key) => {
    const slot = Math.floor(gridTimeOf(key) / SLOT_MS);
    const isFirst = slot !== last;
    last = slot;
    return isFirst;
  });
}
