// Measures the images of a range of time one after the other, while others are read. Images without values have a reason in their place.
import { imagesAt } from '../archive/find-image.ts';
import { gapsAfter } from '../archive/gaps.ts';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { jp2Header } from '../archive/jp2-header.ts';
import { noFrames } from '../archive/range-images.ts';
import type { ImageReader } from '../archive/reading/image-reader.ts';
import { lawHeader } from '../jp2/xml-header.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import type { Pace } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { inOrder } from '../platform/util/concurrency.ts';
import { SECOND_MS } from '../platform/util/durations.ts';
import { badParameter, Failure, type FailureKind } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { planeOf } from '../sun/coordinates/image-plane.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { ConfirmedLaw } from '../sun/laws/gate.ts';
import { recognise } from '../sun/laws/recognise.ts';
import { cadenceCount, formatDateTime, throughSecond } from '../sun/time.ts';
import { type ImageLaws, type MayConfirm, type OfLevels, seriesConfirmations } from './image-laws.ts';
import type { PlacedImage, Tracking } from './regions.ts';
import { noLaw, unconfirmed } from './values.ts';

export interface SeriesRange {
  readonly startMs: number;
  readonly endMs: number;
  /** Null: every item. */
  readonly cadenceSeconds: number | null;
}

/** A time of a series, and its image; null in a gap. */
interface Slot<Image> {
  readonly atMs: number;
  readonly image: Image | null;
}

export class SeriesWalk<Image extends Pick<ArchivedImage, 'takenAtMs'>> extends Service<SeriesRange> {
  /** Those that are kept. */
  readonly images: Image[] = [];

  /** The number of the time of the cadence that an image is nearest to: at most half of the cadence before it, less than half after it. */
  #numberOf({ takenAtMs }: Image): number {
    return Math.round((takenAtMs - this.ports.startMs) / (this.ports.cadenceSeconds! * SECOND_MS));
  }

  #timeAt(number: number): number {
    return this.ports.startMs + number * this.ports.cadenceSeconds! * SECOND_MS;
  }

  /** Adds an image after those before it; with a cadence, the nearest to each time alone, of two equally near ones the earlier. */
  add(image: Image): void {
    const last = this.images.at(-1);
    const number = this.ports.cadenceSeconds === null ? null : this.#numberOf(image);
    if (number !== null && last !== undefined && number === this.#numberOf(last)) {
      const distance = (one: Image) => Math.abs(one.takenAtMs - this.#timeAt(number));
      if (distance(image) >= distance(last)) return;
      this.images.pop();
    }
    this.images.push(image);
  }

  /** The images in time. A gap has the time at which it begins, or that of the cadence. */
  slots(): Slot<Image>[] {
    const { cadenceSeconds } = this.ports;
    if (cadenceSeconds !== null) {
      const byNumber = new Map(this.images.map((image) => [this.#numberOf(image), image]));
      return Array.from({ length: cadenceCount(this.ports, cadenceSeconds) }, (_, number) => {
        const image = byNumber.get(number) ?? null;
        return { atMs: image?.takenAtMs ?? this.#timeAt(number), image };
      });
    }
    const gaps = gapsAfter(this.images.map(({ takenAtMs }) => takenAtMs));
    return this.images.flatMap((image, i): Slot<Image>[] => {
      const gapMs = gaps.get(i);
      return [{ atMs: image.takenAtMs, image }, ...(gapMs === undefined ? [] : [{ atMs: gapMs, image: null }])];
    });
  }
}

export interface SeriesRequest extends SeriesRange {
  readonly sourceId: number;
}

export type SeriesSlot = Slot<ArchivedImage>;

export interface MeasurableMember extends PlacedImage {
  readonly confirmed: ConfirmedLaw;
  readonly isSynthetic: boolean;
}

/** How the images of a series are measured. */
interface SeriesWork<Result> {
  /** Pixels and memory of an image, an estimate. */
  readonly pixels: number;
  readonly bytes: number;
  /** The parameter that decides on them. */
  readonly parameter: string;
  /** @throws Failure for an image without values, of a kind of `REASONS` */
  measure(member: MeasurableMember, pace: Pace): Promise<Result>;
}

/** Why an image has no values, by the failure of a request for it alone. */
const REASONS = {
  'no-law': 'no-law',
  'no-data': 'no-data',
  'bad-parameter': 'off-image',
  unsupported: 'off-image',
  'damaged-image': 'damaged',
  'bad-header': 'damaged',
  'missing-file': 'damaged',
} as const satisfies Partial<Record<FailureKind, string>>;

/** `gap`: there is no image; `unconfirmed`: the law of the image has not been confirmed yet. */
export const SERIES_REASONS = ['gap', 'unconfirmed', 'no-law', 'no-data', 'off-image', 'damaged'] as const;
export type SeriesReason = (typeof SERIES_REASONS)[number];

/** A member of a series: a result, or the reason why there is none. */
export type SeriesItem<Result> = SeriesSlot &
  (
    | { readonly result: Result; readonly member: MeasurableMember; readonly reason: null }
    | { readonly result: null; readonly reason: SeriesReason; readonly failure?: Failure }
  );

export interface OpenSeries<Result> {
  readonly first: MeasurableMember;
  readonly slots: readonly SeriesSlot[];
  /** Slots with an image. */
  readonly images: number;
  /** Can be called once. */
  items(): AsyncGenerator<SeriesItem<Result>>;
}

const isExpected = (kind: FailureKind): kind is keyof typeof REASONS => kind in REASONS;

export class ImageSeries extends Service<{
  readonly index: Pick<ImageIndex, 'inRange' | 'neighboursOfTimes' | 'countInRange'>;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly laws: Pick<ImageLaws, 'within' | 'levels'>;
  readonly reader: Pick<ImageReader, 'open'>;
}> {
  /**
   * The images of a range: every one, with a gap where the interval to the next is long; or the nearest to each time of a cadence, at most
   * half of it away. Charges the client a unit.
   * @throws Failure `no-frames`, `bad-parameter` for more images than a request has, or `rate-limited`
   */
  async slots(request: SeriesRequest, call: RenderCall): Promise<readonly SeriesSlot[]> {
    await call.admission.admit('regions', 1);
    const { index } = this.ports;
    const { sourceId, startMs, endMs, cadenceSeconds } = request;
    const images = await call.stopwatch.measure('index', () =>
      cadenceSeconds === null
        ? index.inRange(sourceId, startMs, throughSecond(endMs), MEASURING.seriesImages + 1)
        : imagesAt(index, sourceId, timesOf(request, cadenceSeconds)),
    );
    if (cadenceSeconds === null && images.length > MEASURING.seriesImages) throw tooMany(request, images.at(-1)!);
    const walk = new SeriesWalk<ArchivedImage>(request);
    for (const image of images) if (image) walk.add(image);
    const slots = walk.slots();
    if (slots.every(({ image }) => image === null)) throw noFrames(request);
    return slots;
  }

  /** The first image of a range, of any length. Charges the client a unit. @throws Failure `no-frames` or `rate-limited` */
  async first(request: SeriesRequest, call: RenderCall): Promise<ArchivedImage> {
    await call.admission.admit('regions', 1);
    const { sourceId, startMs, endMs } = request;
    const [image] = await call.stopwatch.measure('index', () =>
      this.ports.index.inRange(sourceId, startMs, throughSecond(endMs), 1),
    );
    if (!image) throw noFrames(request);
    return image;
  }

  /** Whether a range has more images than `slots` gives. */
  async isTooLong({ sourceId, startMs, endMs, cadenceSeconds }: SeriesRequest): Promise<boolean> {
    const { seriesImages } = MEASURING;
    if (cadenceSeconds !== null) return cadenceCount({ startMs, endMs }, cadenceSeconds) > seriesImages;
    return (await this.ports.index.countInRange(sourceId, startMs, throughSecond(endMs), seriesImages + 1)) > seriesImages;
  }

  /** The images of another source that are nearest to the times of a series, at most `withinMs` away. */
  async alongside(sourceId: number, slots: readonly SeriesSlot[], withinMs: number): Promise<readonly SeriesSlot[]> {
    const timesMs = slots.map(({ atMs }) => atMs);
    const images = await imagesAt(this.ports.index, sourceId, timesMs);
    const isWithin = (image: ArchivedImage | null, i: number) => image && Math.abs(image.takenAtMs - timesMs[i]!) <= withinMs;
    return images.map((image, i) => ({ atMs: timesMs[i]!, image: isWithin(image, i) ? image : null }));
  }

  /** The first image, or the one nearest to the time of tracking, and what is placed in it. @throws Failure of `place`, `no-law` before it */
  async placeInFirst<Placed>(
    slots: readonly SeriesSlot[],
    place: (first: PlacedImage) => Placed,
    { stopwatch }: RenderCall,
    { isRaw, trackFromMs }: OfLevels & Pick<Tracking, 'trackFromMs'>,
  ): Promise<{ readonly first: PlacedImage; readonly placed: Placed }> {
    const earliest = slots.find(({ image }) => image)!.image!;
    const nearest = trackFromMs === null ? [] : await imagesAt(this.ports.index, earliest.sourceId, [trackFromMs]);
    const image = nearest[0] ?? earliest;
    const header = await jp2Header({ objects: this.ports.objects, stopwatch }, image);
    const first = { image, plane: planeOf(image, header) };
    try {
      return { first, placed: place(first) };
    } catch (error) {
      const recognised = recognise(lawHeader(header));
      throw 'refusal' in recognised && !isRaw ? noLaw(recognised.refusal) : error;
    }
  }

  /**
   * Measures what is placed in the first image, up to the first image with values.
   * @param own Slots among which the first image is
   * @throws Failure as `placeInFirst`, of an image, `bad-parameter` for too many pixels, `rate-limited`, or `busy`
   */
  async open<Result, Placed extends SeriesWork<Result>>(
    slots: readonly SeriesSlot[],
    request: OfLevels & Pick<Tracking, 'trackFromMs'>,
    call: RenderCall,
    place: (first: PlacedImage) => Placed & SeriesWork<Result>,
    own = slots,
  ): Promise<OpenSeries<Result> & Placed> {
    const { placed: work } = await this.placeInFirst(own, place, call, request);
    const images = slots.filter(({ image }) => image !== null).length;
    const pixels = images * work.pixels;
    if (pixels > MEASURING.seriesPixels) {
      const most = Math.floor(MEASURING.seriesPixels / images);
      const what = `at most ${most} pixels of each of ${images} images, or fewer images,`;
      throw badParameter(work.parameter, what, `${Math.ceil(work.pixels)} pixels`);
    }
    await call.admission.admit('regions', pixels);
    // A client that has used up its units is refused until the response begins.
    let hasBegun = false;
    const mayConfirm = seriesConfirmations(call, () => hasBegun);
    const items = inOrder(slots, MEASURING.seriesAhead, (slot) => this.#item(slot, work, request.isRaw, mayConfirm, call));
    const begun: SeriesItem<Result>[] = [];
    let refused: Failure | undefined;
    for (let failures = 0; failures < MEASURING.seriesWithoutValues; ) {
      const next = await items.next();
      if (next.done) break;
      begun.push(next.value);
      if (next.value.reason === null) {
        hasBegun = true;
        return { ...work, first: next.value.member, slots, images, items: () => continued(begun, items) };
      }
      refused ??= next.value.failure;
      if (next.value.reason !== 'gap') failures += 1;
    }
    await items.return(undefined);
    throw refused ?? unconfirmed('.');
  }

  async #item<Result>(
    slot: SeriesSlot,
    work: SeriesWork<Result>,
    isRaw: boolean,
    mayConfirm: MayConfirm,
    call: RenderCall,
  ): Promise<SeriesItem<Result>> {
    const { image } = slot;
    if (!image) return { ...slot, result: null, reason: 'gap' };
    const { laws, reader } = this.ports;
    try {
      // What the measurement reads first is read beside the law; a failure of it is that of the measurement.
      const opening = reader.open(image, call.stopwatch).catch(() => null);
      const law = isRaw ? laws.levels(image, call) : laws.within(image, call, mayConfirm);
      const [measurable] = await Promise.all([law, opening]);
      if (!measurable) return { ...slot, result: null, reason: 'unconfirmed' };
      const { verdict, ...facts } = measurable;
      if ('refusal' in verdict) throw noLaw(verdict.refusal);
      const member = { image, ...facts, confirmed: verdict.confirmed };
      const result = await call.admission.hold(work.bytes, (pace) => work.measure(member, pace));
      return { ...slot, result, member, reason: null };
    } catch (error) {
      if (!(error instanceof Failure && isExpected(error.kind))) throw error;
      return { ...slot, result: null, reason: REASONS[error.kind], failure: error };
    }
  }
}

async function* continued<Item>(begun: readonly Item[], rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    yield* begun;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The shortest cadence in seconds with which a range has no more images than a series. */
const leastCadence = ({ startMs, endMs }: SeriesRequest) =>
  Math.ceil((endMs - startMs) / SECOND_MS / (MEASURING.seriesImages - 1));

function timesOf(request: SeriesRequest, cadenceSeconds: number): number[] {
  const { seriesImages } = MEASURING;
  const count = cadenceCount(request, cadenceSeconds);
  if (count > seriesImages) {
    const what = `${leastCadence(request)} seconds or more, for at most ${seriesImages} images in this range,`;
    throw badParameter('cadence', what, cadenceSeconds);
  }
  return Array.from({ length: count }, (_, i) => request.startMs + i * cadenceSeconds * SECOND_MS);
}

function tooMany(request: SeriesRequest, after: ArchivedImage): Failure {
  const sentence =
    `The range has more than ${MEASURING.seriesImages} images: the next one is of ${formatDateTime(after.takenAtMs)}. ` +
    `Request it in parts, or with cadence=${leastCadence(request)}.`;
  return new Failure('bad-parameter', sentence, { parameter: 'endTime' });
}
