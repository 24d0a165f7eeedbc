// Makes the parts of coefficient sidecars, and stores them.
import { COEFFICIENT_MAKING } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { codedComponent, levelsOf, type Part, partOf, UPPER_PARTS } from '../../imaging/coefficients/cells.ts';
import {
  COEFFICIENTS_VERSION,
  type CoefficientHead,
  decodeHead,
  encodeHead,
  type LevelCells,
  type PartCells,
} from '../../imaging/coefficients/format.ts';
import { transcodePart } from '../../imaging/coefficients/transcode.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { encodeSidecar, type Jp2Index } from '../../imaging/jp2/sidecar.ts';
import type { TileComponent } from '../../imaging/jp2/structure.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { coefficientKey } from '../../storage/keys.ts';

/** The storage operations that making needs. */
export type CoefficientObjects = Pick<ObjectStore, 'readAll' | 'put'>;

const CONTENT_TYPE = 'application/octet-stream';

const KEY_LETTERS = { A: 'a', B: 'b', C: 'c' } as const;

export const partKey = (image: Pick<ArchivedImage, 'sha256'>, part: Part): string =>
  coefficientKey(image, KEY_LETTERS[part], COEFFICIENTS_VERSION);

/** Part A; null when it is damaged or of an image that cannot have one. */
export function parsedHead(bytes: Uint8Array): CoefficientHead | null {
  try {
    return decodeHead(bytes);
  } catch (error) {
    if (error instanceof Jp2Error) return null;
    throw error;
  }
}

/** Whether an image can have a coefficient sidecar, as far as its index tells. */
export function canHaveCoefficients(image: ArchivedImage, index: Jp2Index): boolean {
  return codedComponent(index) !== null && image.byteLength <= COEFFICIENT_MAKING.fileBytes;
}

/** Whether an image has levels above part A. */
export function hasUpperParts(index: Jp2Index): boolean {
  const tc = codedComponent(index);
  return tc !== null && partOf(tc, tc.resolutions.length - 1) !== 'A';
}

/** Lets other requests of the isolate in between steps of some milliseconds. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Runs the steps of a part; with pauses between them, unless the file is at hand in a request that waits for it. */
async function transcoded(index: Jp2Index, jp2: Uint8Array, part: Part, withPauses: boolean): Promise<PartCells> {
  const { codestreamOffset, codestreamLength } = index;
  const steps = transcodePart(index, jp2.subarray(codestreamOffset, codestreamOffset + codestreamLength), part);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value as PartCells;
    if (withPauses) await pause();
  }
}

/** Part A of a head, as `transcodePart` gives it. */
function partA(head: CoefficientHead, tc: TileComponent): PartCells {
  return { levels: levelsOf(tc, 'A').map(({ level }) => head.levels[level] as LevelCells), bytes: head.cells };
}

export interface MakingOptions {
  readonly image: ArchivedImage;
  readonly index: Jp2Index;
  /** Parts to make if they do not exist. */
  readonly missing: ReadonlySet<Part>;
  /** Parts to make again. */
  readonly damaged: ReadonlySet<Part>;
  /** The file, if it is in memory. */
  readonly jp2?: Uint8Array;
}

export interface MadeCoefficients {
  readonly head: CoefficientHead;
  /** False when all parts existed. */
  readonly isNew: boolean;
}

/**
 * Makes parts of the sidecar of an image from its JP2. Parts B and C are stored before part A, which has their index. Null when the file
 * is gone.
 *
 * @throws Jp2Error when the file cannot be decoded or coded
 */
export async function makeCoefficients(
  objects: CoefficientObjects,
  { image, index, missing, damaged, jp2 }: MakingOptions,
): Promise<MadeCoefficients | null> {
  const tc = codedComponent(index) as TileComponent;
  const stored = damaged.has('A') || jp2 ? null : await objects.readAll(partKey(image, 'A'));
  const present = stored && parsedHead(stored);
  const wanted = UPPER_PARTS.filter(
    (part) => levelsOf(tc, part).length > 0 && (damaged.has(part) || (missing.has(part) && !present?.parts.has(part))),
  );
  if (present && wanted.length === 0) return { head: present, isNew: false };
  const file = jp2 ?? (await objects.readAll(image.key));
  if (!file) return null;
  const a = present ? partA(present, tc) : await transcoded(index, file, 'A', !jp2);
  const upper = new Map<Part, readonly LevelCells[]>();
  for (const part of UPPER_PARTS) {
    if (wanted.includes(part)) {
      const { levels, bytes } = await transcoded(index, file, part, !jp2);
      await objects.put(partKey(image, part), bytes, CONTENT_TYPE);
      upper.set(part, levels);
    } else if (present?.parts.has(part))
      upper.set(
        part,
        levelsOf(tc, part).map(({ level }) => present.levels[level] as LevelCells),
      );
  }
  const head = encodeHead(encodeSidecar(index), a, upper);
  await objects.put(partKey(image, 'A'), head, CONTENT_TYPE);
  return { head: decodeHead(head), isNew: true };
}
