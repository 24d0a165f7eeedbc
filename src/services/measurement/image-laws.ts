// The laws of archived images. A law that the header names is confirmed once for each file, at ingest or before its first value.
import { type RenderCall, SharedWork } from '../../admission/admission.ts';
import { CACHE_WORTH_MS, JOB_BYTES } from '../../config/limits/memory.ts';
import { MEASURING, SHARED_RENDER_WAIT_MS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { type ImagePlane, planeOf } from '../../domain/coordinates/image-plane.ts';
import type { Places } from '../../domain/coordinates/nodes.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { Recognised } from '../../domain/measurement/candidates.ts';
import { type ByteWindow, type Census, LevelCounter } from '../../domain/measurement/census.ts';
import { LEVELS, type Verdict } from '../../domain/measurement/gate.ts';
import type { Disc } from '../../domain/measurement/law-header.ts';
import { recognise } from '../../domain/measurement/recognise.ts';
import type { Shape } from '../../domain/measurement/region.ts';
import { isSynthetic } from '../../domain/synthetic.ts';
import { greyBytes } from '../../imaging/jp2/decode.ts';
import type { Rect } from '../../imaging/jp2/structure.ts';
import { type Jp2Header, lawHeader } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Pace } from '../../ports/timing.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { Service } from '../../util/service.ts';
import { jp2Header } from '../images/jp2-header.ts';
import type { ImageReader, OpenImage } from '../rendering/image-reader.ts';

const LAW_BYTES = 3000;

/** Whether the levels of images are measured, which all have, in place of their values. */
export interface OfLevels {
  readonly isRaw: boolean;
}

interface MeasurableImage {
  readonly verdict: Verdict;
  /** Null for an image without coordinates. */
  readonly plane: ImagePlane | null;
  /** Whether the header says that the image is synthetic. */
  readonly isSynthetic: boolean;
}

export interface NamedLaws {
  readonly header: Jp2Header;
  readonly recognised: Recognised;
}

/** Confirms laws, and keeps the verdicts. */
interface Surveys {
  /** Null before the survey of an image. */
  stored(image: ArchivedImage): Promise<Verdict | null>;
  survey(open: OpenImage, named: NamedLaws, reader: Pick<ImageReader, 'strips'>, pace: Pace): Promise<Verdict>;
}

/** Whether so many pixels may be counted to confirm a law, which it charges. */
export type MayConfirm = (pixels: number) => Promise<boolean>;

/** Charges the client of a series or map, which has a number of pixels. @param mayOwe Whether the work goes on when its units are used up */
export function seriesConfirmations({ admission }: RenderCall, mayOwe = () => false): MayConfirm {
  let left: number = MEASURING.seriesPixels;
  return async (pixels) => {
    if (pixels > left) return false;
    left -= pixels;
    await admission.admit('regions', pixels).catch((error: unknown) => {
      if (!mayOwe()) throw error;
    });
    return true;
  };
}

/** Rows of a window of this width that are decoded at once to be measured. */
export const rowsAtOnce = (width: number, samples: number = STRIP_SAMPLES): number => Math.max(1, Math.floor(samples / width));

/** Pixels that are counted at full resolution. */
interface CountedWindow {
  readonly window: Rect;
  readonly disc: Disc | null;
  /** Region whose pixels are counted; unset or null for all. */
  readonly shape?: Shape | null;
  /** Counts the strips as well. */
  readonly also?: { add(strip: ByteWindow): void };
  /** Pixels of a strip. */
  readonly samplesAtOnce?: number;
}

/** Counts the bytes of a window at full resolution, strip by strip. */
export async function countWindow(
  reader: Pick<ImageReader, 'strips'>,
  open: OpenImage,
  { window, disc, shape = null, also, samplesAtOnce }: CountedWindow,
  pace: Pace,
): Promise<Census> {
  const counter = new LevelCounter(open.image.geometry, disc, shape);
  for await (const decoded of reader.strips(open, window, rowsAtOnce(window.x1 - window.x0, samplesAtOnce), pace)) {
    const { x0, y0, width, height } = decoded;
    pace.measure('compose', () => {
      const strip = { x0, y0, width, height, samples: greyBytes(decoded) };
      counter.add(strip);
      also?.add(strip);
    });
  }
  return counter.census;
}

/** The window of all pixels around these places but those that are not numbers; null where none is in the image. */
export function windowAround({ width, height }: ArchivedImage['geometry'], { x: xs, y: ys }: Places): Rect | null {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i]!;
    const y = ys[i]!;
    if (Number.isNaN(x)) continue;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  const [x0, x1] = [Math.max(0, Math.floor(left) - 1), Math.min(width, Math.floor(right) + 1)];
  const [y0, y1] = [Math.max(0, height - Math.floor(high) - 1), Math.min(height, height - Math.floor(low) + 1)];
  return x1 > x0 && y1 > y0 ? { x0, y0, x1, y1 } : null;
}

/** The bytes of a window of a resolution level, decoded strip by strip. @param reduce Levels to discard */
export async function windowBytes(
  reader: Pick<ImageReader, 'strips'>,
  open: OpenImage,
  window: Rect,
  pace: Pace,
  reduce = 0,
): Promise<ByteWindow> {
  const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
  const samples = new Uint8Array(width * height);
  let done = 0;
  for await (const decoded of reader.strips(open, window, rowsAtOnce(width), pace, reduce)) {
    samples.set(greyBytes(decoded), done);
    done += decoded.width * decoded.height;
  }
  return { x0: window.x0, y0: window.y0, width, height, samples };
}

/** Memory of a count of pixels. */
export const countingBytes = (pixels: number): number =>
  (JOB_BYTES.perLayerPixel + JOB_BYTES.perDecodedPixel) * Math.min(pixels, STRIP_SAMPLES) + JOB_BYTES.tile;

export class ImageLaws extends Service<{
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly surveys: Surveys;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
  readonly memory: MemoryBudget;
}> {
  /** By the hash of the image. */
  readonly #known = this.ports.memory.cache<string, MeasurableImage>({ bytesOf: () => LAW_BYTES, worthMs: CACHE_WORTH_MS.law });
  readonly #verdicts = new SharedWork<Verdict | null>(SHARED_RENDER_WAIT_MS);

  /** The law of an image and its coordinates. @throws Failure `bad-header`, `damaged-image`, `missing-file`, `rate-limited`, or `busy` */
  async of(image: ArchivedImage, call: RenderCall): Promise<MeasurableImage> {
    const found = await this.within(image, call, async (pixels) => {
      await call.admission.admit('regions', pixels);
      return true;
    });
    // Null where it waited with a series that may not confirm it.
    return found ?? this.of(image, call);
  }

  /** As `of`; null where the law is not confirmed and may not be now. */
  async within(image: ArchivedImage, call: RenderCall, mayConfirm: MayConfirm): Promise<MeasurableImage | null> {
    const known = this.#known.get(image.sha256);
    if (known) return known;
    const reading = jp2Header({ objects: this.ports.objects, stopwatch: call.stopwatch }, image);
    const [header, verdict] = await Promise.all([reading, this.#verdict(image, reading, call, mayConfirm)]);
    if (!verdict) return null;
    const measurable = { verdict, plane: planeOf(image, header), isSynthetic: isSynthetic(header.fits) };
    this.#known.set(image.sha256, measurable);
    return measurable;
  }

  /** Levels in place of a law, and the coordinates. @throws Failure `bad-header`, `damaged-image`, or `missing-file` */
  async levels(image: ArchivedImage, { stopwatch }: RenderCall): Promise<MeasurableImage> {
    const header = await jp2Header({ objects: this.ports.objects, stopwatch }, image);
    return { verdict: { confirmed: LEVELS }, plane: planeOf(image, header), isSynthetic: isSynthetic(header.fits) };
  }

  /** The stored verdict, which is read beside the header; else a new one where it may be. */
  async #verdict(
    image: ArchivedImage,
    reading: Promise<Jp2Header>,
    call: RenderCall,
    mayConfirm: MayConfirm,
  ): Promise<Verdict | null> {
    const { surveys, reader } = this.ports;
    return this.#verdicts.run(image.sha256, async () => {
      const stored = call.stopwatch.measure('read', () => surveys.stored(image));
      const [header, verdict] = await Promise.all([reading, stored]);
      const recognised = recognise(lawHeader(header));
      if ('refusal' in recognised) return recognised;
      if (verdict) return verdict;
      const { width, height } = image.geometry;
      if (!(await mayConfirm(width * height))) return null;
      return call.admission.hold(JOB_BYTES.survey, async (pace) =>
        surveys.survey(await reader.open(image, pace), { header, recognised }, reader, pace),
      );
    });
  }
}
