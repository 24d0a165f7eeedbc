// Surveys of files: all bytes of an image are counted once, which confirms its law, and leaves the grid of its values or levels.
import { paceOf } from '../../admission/pace.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { lawKey } from '../../domain/archive/keys.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ByteWindow } from '../../domain/measurement/census.ts';
import { type ConfirmedLaw, confirm, LAWS_VERSION, LEVELS, type Verdict } from '../../domain/measurement/gate.ts';
import type { GriddedImage } from '../../domain/measurement/grid-table.ts';
import { CellCounter } from '../../domain/measurement/image-grid.ts';
import type { Disc } from '../../domain/measurement/law-header.ts';
import { recognise } from '../../domain/measurement/recognise.ts';
import { plateScale } from '../../domain/pixel-grid.ts';
import { isSynthetic } from '../../domain/synthetic.ts';
import { wcsOf } from '../../domain/wcs.ts';
import type { AnnulusCounter } from '../../imaging/filters/annuli.ts';
import { decodeFileWindow } from '../../imaging/jp2/file-window.ts';
import { decodeSidecar, type Jp2Index } from '../../imaging/jp2/sidecar.ts';
import { decodeXmlText, type Jp2Header, lawHeader, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { type Log, type Pace, UNTIMED } from '../../ports/timing.ts';
import { jsonBytes, jsonOf } from '../../util/bytes.ts';
import { type MemoryBudget, NoMemory } from '../../util/memory-budget.ts';
import { Service } from '../../util/service.ts';
import type { GridsByKind } from '../grids/image-grids.ts';
import { jp2Header } from '../images/jp2-header.ts';
import { type ImageReader, type OpenImage, requireSquarePixels, stripsInMemory } from '../rendering/image-reader.ts';
import { counterOf, storeStatistics } from '../rendering/image-statistics.ts';
import { countWindow, type NamedLaws } from './image-laws.ts';

/** Bits a pixel from which a file of the reversible transform counts as lossless: the lossy ones of the archive have up to 1.3. */
const LOSSLESS_BITS = 3;
/** Pixels that are counted at once. Code-blocks at the edges of strips are decoded twice: half as many of these take a third longer. */
const SURVEYED_SAMPLES = 2 * STRIP_SAMPLES;

/** Whether a file has the bytes that its image had. */
export function isLossless(
  { byteLength }: Pick<ArchivedImage, 'byteLength'>,
  { size, tiles }: Pick<Jp2Index, 'size' | 'tiles'>,
): boolean {
  const bits = (8 * byteLength) / ((size.x1 - size.x0) * (size.y1 - size.y0));
  const isReversible = tiles.every((tile) => tile.components.every(({ coding }) => coding.reversible));
  return isReversible && bits >= LOSSLESS_BITS;
}

/** Digits of a scale, which is the same in images of a day but for rounding. */
const SCALE_DIGITS = 8;

/** Facts with which the grid of an image is read. */
function griddedImage(image: ArchivedImage, { fits }: Jp2Header, { law, status, lossy, caveats }: ConfirmedLaw): GriddedImage {
  const { id, sourceId, takenAtMs, geometry } = image;
  const wcs = wcsOf(fits, sourceId);
  const { least, greatest } = law;
  const view = {
    width: geometry.width,
    height: geometry.height,
    wcs: wcs && { ...wcs, dateObs: null, observer: null },
    arcsecPerPixel: Number(plateScale(geometry).toPrecision(SCALE_DIGITS)),
    law: { ...law, least: null, greatest: null },
    status,
    caveats,
    lossyLevels: lossy?.area ?? 0,
    isSynthetic: isSynthetic(fits),
  };
  return { id, takenAtMs, least, greatest, view };
}

export class ImageSurveys extends Service<{
  readonly objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>;
  readonly grids: GridsByKind<'has' | 'put'>;
  readonly memory: MemoryBudget;
  /** Lets requests go first before a step of about so many milliseconds. */
  readonly turn: (ms: number) => Promise<void>;
  readonly log: Log;
}> {
  /** The verdict on an image; null before its survey. */
  async stored(image: ArchivedImage): Promise<Verdict | null> {
    const bytes = await this.ports.objects.readAll(lawKey(LAWS_VERSION, image));
    return bytes && jsonOf<Verdict>(bytes);
  }

  /** Counts all bytes of an image, and stores its grid and the verdict on its laws. @throws Jp2Error when the file cannot be decoded */
  async survey(
    open: OpenImage,
    { header, recognised }: NamedLaws,
    reader: Pick<ImageReader, 'strips'>,
    pace: Pace,
  ): Promise<Verdict> {
    const { image, index } = open;
    requireSquarePixels(open);
    const counted = async (disc: Disc | null, annuli?: AnnulusCounter) => {
      const cells = new CellCounter(image.geometry, disc);
      const also = {
        add: (strip: ByteWindow) => {
          cells.add(strip);
          annuli?.add(strip);
        },
      };
      const counting = { window: index.size, disc, also, samplesAtOnce: SURVEYED_SAMPLES };
      return { cells, census: await countWindow(reader, open, counting, pace) };
    };
    const disc = 'refusal' in recognised ? null : (recognised.candidates[0]?.disc ?? null);
    const annuli = counterOf(open, header, recognised);
    const { cells, census } = await counted(disc, annuli);
    const verdict = confirm(recognised, census, isLossless(image, index));
    const { grids, objects } = this.ports;
    await storeStatistics(objects, image, annuli);
    const isOfValues = 'confirmed' in verdict;
    const inverted = isOfValues ? verdict.confirmed : LEVELS;
    // All pixels have levels.
    const own = disc && !isOfValues ? (await counted(null)).cells : cells;
    const grid = { image: griddedImage(image, header, inverted), cells: own.grid(inverted.law) };
    await grids[isOfValues ? 'values' : 'levels'].put(image, grid);
    // What a header refuses is read in it each time.
    if ('refusal' in recognised) return verdict;
    const bytes = jsonBytes(verdict);
    await objects.put(lawKey(LAWS_VERSION, image), bytes, 'application/json');
    return verdict;
  }

  /** Surveys an image within the memory of its upload. A failure is logged: a later survey precedes its first value. @param sidecar Of its index */
  async makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array): Promise<void> {
    await this.#logged(image, async () => {
      const index = decodeSidecar(sidecar);
      const { xmlOffset, xmlLength } = index;
      const header = parseXmlHeader(decodeXmlText(jp2.subarray(xmlOffset, xmlOffset + xmlLength)));
      if (!header) return 'none';
      const strips = stripsInMemory((window) => decodeFileWindow(jp2, index, { reduce: 0, window })[0]!);
      await this.survey(
        { image, index, partA: null },
        { header, recognised: recognise(lawHeader(header)) },
        { strips },
        this.#pace,
      );
      return 'made';
    });
  }

  /** Surveys an archived image without a grid, or again with `renew`. @returns `none` for an unreadable one @throws NoMemory */
  async make(
    image: ArchivedImage,
    reader: Pick<ImageReader, 'open' | 'strips'>,
    renew: boolean,
  ): Promise<'made' | 'kept' | 'none'> {
    const { objects, grids, memory } = this.ports;
    return this.#logged(image, async () => {
      const header = await jp2Header({ objects, stopwatch: UNTIMED }, image);
      const recognised = recognise(lawHeader(header));
      if (!renew) {
        const verdict = 'refusal' in recognised ? recognised : await this.stored(image);
        const kind = verdict && 'confirmed' in verdict ? 'values' : 'levels';
        if (verdict && (await grids[kind].has(image))) return 'kept';
      }
      await memory.run(JOB_BYTES.survey, MEMORY_WAIT_MS.background, async () =>
        this.survey(await reader.open(image), { header, recognised }, reader, this.#pace),
      );
      return 'made';
    });
  }

  get #pace(): Pace {
    return paceOf({ stopwatch: UNTIMED, step: this.ports.turn });
  }

  async #logged(image: ArchivedImage, work: () => Promise<'made' | 'kept' | 'none'>): Promise<'made' | 'kept' | 'none'> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof NoMemory) throw error;
      this.ports.log({ survey: image.fileName, failed: error instanceof Error ? error.message : String(error) });
      return 'none';
    }
  }
}
