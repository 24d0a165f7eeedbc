// Coefficient sidecars (docs/sidecar-format.md): reads them, caches part A, and makes missing and damaged parts behind responses.
import type { ByteRange } from '../../jp2/byte-source.ts';
import { orNull } from '../../jp2/bytes.ts';
import type { Chunk } from '../../jp2/codestream-blocks.ts';
import type { LevelCells, Part, PartA, PartCells } from '../../jp2/coefficients/format.ts';
import {
  COEFFICIENTS_VERSION,
  codedComponent,
  decodePartA,
  levelsOf,
  partOf,
  UPPER_PARTS,
} from '../../jp2/coefficients/format.ts';
import { encodePartA, transcodePart } from '../../jp2/coefficients/transcode.ts';
import { Jp2Error } from '../../jp2/errors.ts';
import { decodeSidecar, encodeSidecar, type Jp2Index } from '../../jp2/sidecar.ts';
import type { TileComponent } from '../../jp2/structure.ts';
import { CACHE_WORTH_MS, JOB_BYTES, MEMORY_WAIT_MS } from '../../platform/limits/memory.ts';
import { COEFFICIENT_MAKING, SHARED_READ_WAIT_MS } from '../../platform/limits/rendering.ts';
import type { Log } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { when } from '../../platform/util/errors.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { coefficientKey } from '../keys.ts';

interface WantedParts {
  readonly image: ArchivedImage;
  readonly index: Jp2Index;
  /** Parts to make if they do not exist. */
  readonly missing: Set<Part>;
  readonly damaged: Set<Part>;
}

interface Wanted {
  make(): Promise<unknown>;
  /** What further requests for the same image add to. */
  readonly parts?: WantedParts;
}

/** Bytes of an entry of the cache beside its cells: the parsed index; and of one without part A. */
const BYTES_OF_INDEX = 64 << 10;
const BYTES_OF_NONE = 256;

const CONTENT_TYPE = 'application/octet-stream';

export const partKey = (image: Pick<ArchivedImage, 'sha256'>, part: Part): string =>
  coefficientKey(image, part.toLowerCase() as Lowercase<Part>, COEFFICIENTS_VERSION);

/** Part A; null when it is damaged or of an image that cannot have one. */
export const parsedPartA = (bytes: Uint8Array): PartA | null => orNull(() => decodePartA(bytes));

/** Whether an image can have a coefficient sidecar, as far as its index tells. */
const canHaveCoefficients = (image: ArchivedImage, index: Jp2Index): boolean =>
  codedComponent(index) !== null && image.byteLength <= COEFFICIENT_MAKING.fileBytes;

function hasUpperParts(index: Jp2Index): boolean {
  const tc = codedComponent(index);
  return tc !== null && partOf(tc, tc.resolutions.length - 1) !== 'A';
}

/** Runs the steps of a part, each of which `turn` precedes. */
async function transcoded(index: Jp2Index, jp2: Uint8Array, part: Part, turn?: () => Promise<void>): Promise<PartCells> {
  const { codestreamOffset, codestreamLength } = index;
  const steps = transcodePart(index, jp2.subarray(codestreamOffset, codestreamOffset + codestreamLength), part);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value as PartCells;
    await turn?.();
  }
}

export class Coefficients extends Service<{
  readonly objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>;
  /** Parts that are made behind responses. */
  readonly makes: readonly Part[];
  /** Most images that wait for their parts; further ones are made when they are viewed again. */
  readonly waiting?: number;
  readonly log: Log;
  readonly memory: MemoryBudget;
  /** Lets requests go first before a step of about so many milliseconds. Unset: nothing else goes on. */
  readonly turn?: (ms: number) => Promise<void>;
}> {
  readonly #known = this.ports.memory.cache<string, { readonly partA: PartA | null; readonly canHaveOne: boolean }>({
    bytesOf: ({ partA }) => (partA ? partA.cells.length + BYTES_OF_INDEX : BYTES_OF_NONE),
    worthMs: CACHE_WORTH_MS.partA,
  });
  /** Parts A that are being read. A viewer requests many tiles of an image at once. */
  readonly #reads = new SingleFlight<PartA | null>(SHARED_READ_WAIT_MS);
  /** What is made behind responses: parts by the hash of their image, and other objects by their keys. */
  readonly #wanted = new Map<string, Wanted>();
  #makingSinceMs: number | null = null;

  async partA(image: ArchivedImage): Promise<PartA | null> {
    const known = this.#known.get(image.sha256);
    if (known) return known.partA;
    return this.#reads.run(image.sha256, async () => {
      const bytes = await this.ports.objects.readAll(partKey(image, 'A'));
      const partA = bytes && parsedPartA(bytes);
      this.#known.set(image.sha256, { partA, canHaveOne: true });
      return partA;
    });
  }

  /** A range of part B or C; null when the part does not exist or is shorter. */
  async chunk(image: ArchivedImage, part: Part, { offset, length }: ByteRange): Promise<Chunk | null> {
    const bytes = await this.ports.objects.read(partKey(image, part), offset, length).catch(when(RangeError, () => null));
    return bytes && { offset, bytes };
  }

  /** Requests a part: `damaged` ones are made again, `missing` ones unless they exist by then. */
  request(image: ArchivedImage, index: Jp2Index, part: Part, state: 'missing' | 'damaged'): void {
    const isMade = this.ports.makes.includes(part) && this.#known.get(image.sha256)?.canHaveOne !== false;
    if (!isMade || !canHaveCoefficients(image, index)) return;
    const none = { image, index, missing: new Set<Part>(), damaged: new Set<Part>() };
    const parts = this.#wanted.get(image.sha256)?.parts ?? none;
    parts[state].add(part);
    this.#want(image.sha256, { parts, make: () => this.#makeWithinMemory(parts) });
  }

  /** Makes another object of an image too behind the response, in the memory of a tile, unless too much waits. */
  later(key: string, make: () => Promise<unknown>): void {
    this.#want(key, { make: () => this.ports.memory.run(JOB_BYTES.tile, MEMORY_WAIT_MS.background, make) });
  }

  #want(key: string, wanted: Wanted): void {
    const { waiting = COEFFICIENT_MAKING.waiting } = this.ports;
    if (this.#wanted.size < waiting || this.#wanted.has(key)) this.#wanted.set(key, wanted);
  }

  /** Makes what has been requested, never two at once. What fails is logged, and comes again with the next picture. */
  async makeRequested(mayContinue: () => boolean = () => true): Promise<void> {
    const nowMs = performance.now();
    if (this.#makingSinceMs !== null && nowMs - this.#makingSinceMs < COEFFICIENT_MAKING.staleMs) return;
    try {
      for (const [key, wanted] of this.#wanted) {
        if (!mayContinue()) return;
        this.#makingSinceMs = performance.now();
        this.#wanted.delete(key);
        await wanted.make().catch(() => undefined);
      }
    } finally {
      this.#makingSinceMs = null;
    }
  }

  /** Makes part A of an image being ingested, unless the image fits into it. Failures are only logged. @param sidecar Of its index */
  async makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array): Promise<PartA | null> {
    const index = decodeSidecar(sidecar);
    if (!canHaveCoefficients(image, index) || !hasUpperParts(index)) return null;
    await this.#make({ image, index, missing: new Set<Part>(['A']), damaged: new Set<Part>() }, jp2);
    return this.#known.get(image.sha256)?.partA ?? null;
  }

  /** Makes parts of an image, or all again with `renew`. @returns `none` where it cannot have any @throws NoMemory when there is none in time */
  async make(image: ArchivedImage, index: Jp2Index, parts: ReadonlySet<Part>, renew: boolean): Promise<'made' | 'kept' | 'none'> {
    if (!canHaveCoefficients(image, index)) return 'none';
    const [missing, damaged] = [new Set(renew ? [] : parts), new Set(renew ? parts : [])];
    return this.#makeWithinMemory({ image, index, missing, damaged });
  }

  #makeWithinMemory(wanted: WantedParts): Promise<'made' | 'kept' | 'none'> {
    const bytes = JOB_BYTES.perFileByte * wanted.image.byteLength;
    return this.ports.memory.run(bytes, MEMORY_WAIT_MS.background, () => this.#make(wanted));
  }

  /** @param jp2 The file, if it is in memory */
  async #make(wanted: WantedParts, jp2?: Uint8Array): Promise<'made' | 'kept' | 'none'> {
    const { image } = wanted;
    try {
      const made = await this.#store(wanted, jp2);
      this.#known.set(image.sha256, { partA: made?.partA ?? null, canHaveOne: true });
      return made ? (made.isNew ? 'made' : 'kept') : 'none';
    } catch (error) {
      if (error instanceof Jp2Error) this.#known.set(image.sha256, { partA: null, canHaveOne: false });
      this.ports.log({ coefficients: image.fileName, failed: error instanceof Error ? error.message : String(error) });
      return 'none';
    }
  }

  /** Makes and stores the wanted parts, part A last, which has their index. Null when the file is gone. @throws Jp2Error */
  async #store({ image, index, missing, damaged }: WantedParts, jp2: Uint8Array | undefined) {
    const { objects } = this.ports;
    const tc = codedComponent(index) as TileComponent;
    const stored = damaged.has('A') || jp2 ? null : await objects.readAll(partKey(image, 'A'));
    const present = stored && parsedPartA(stored);
    const presentLevels = (part: Part) => levelsOf(tc, part).map(({ level }) => present?.levels[level] as LevelCells);
    const isWanted = (part: Part) =>
      levelsOf(tc, part).length > 0 && (damaged.has(part) || (missing.has(part) && !present?.parts.has(part)));
    if (present && !UPPER_PARTS.some(isWanted)) return { partA: present, isNew: false };
    const file = jp2 ?? (await objects.readAll(image.key));
    if (!file) return null;
    const { turn } = this.ports;
    const pause = turn && (() => turn(COEFFICIENT_MAKING.stepMs));
    const a = present ? { levels: presentLevels('A'), bytes: present.cells } : await transcoded(index, file, 'A', pause);
    const upper = new Map<Part, readonly LevelCells[]>();
    for (const part of UPPER_PARTS) {
      if (isWanted(part)) {
        const { levels, bytes } = await transcoded(index, file, part, pause);
        await objects.put(partKey(image, part), bytes, CONTENT_TYPE);
        upper.set(part, levels);
      } else if (present?.parts.has(part)) upper.set(part, presentLevels(part));
    }
    const bytes = encodePartA(encodeSidecar(index), a, upper);
    await objects.put(partKey(image, 'A'), bytes, CONTENT_TYPE);
    return { partA: decodePartA(bytes), isNew: true };
  }
}
