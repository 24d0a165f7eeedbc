// What clients have learned about the archive: which contents a name may have now, and what each id has shown.
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import type { WorldFile } from '../files.ts';
import type { Checks } from '../statements.ts';

/** Time for which a copy of the database may be behind, and a read of it be under way. */
const COPY_MS = MINUTE_MS;
/** Time after the answer to a withdrawal from which the image is nowhere. */
export const GONE_MS = 5 * MINUTE_MS;

export interface KnownId {
  readonly sha256: string;
  readonly name: string;
  /** Digests of its pictures by path. */
  readonly pictures: Map<string, string>;
  /** Time from which it must be gone; null while it may be served. */
  goneFromMs: number | null;
}

/** A file name, with what its image may be. */
export class Name {
  readonly letter: string;
  readonly fileName: string;
  /** SHA-256 of what was uploaded, whatever the answer was. */
  readonly sent = new Set<string>();
  /** SHA-256 of what the archive may have; null: no image. */
  possible = new Set<string | null>([null]);
  /** What copies of the database still have. */
  #earlier: { readonly possible: ReadonlySet<string | null>; readonly untilMs: number } = { possible: new Set(), untilMs: 0 };
  /** Changes that are under way, and those that have begun so far. */
  #running = 0;
  #begun = 0;

  constructor(letter: string, fileName: string) {
    this.letter = letter;
    this.fileName = fileName;
  }

  /** Whether anything may have changed it. */
  get isTouched(): boolean {
    return this.#begun > 0;
  }

  get isChanging(): boolean {
    return this.#running > 0;
  }

  /** Makes all that was uploaded possible, and changes that are under way uncertain, as a restored database does. */
  disturb(): void {
    this.#begun += 1;
    this.possible = new Set([...this.possible, ...this.sent, null]);
  }

  /** Whether an answer to a request of this time may say that the archive has a content. */
  mayBe(content: string | null, askedMs: number): boolean {
    return this.possible.has(content) || (askedMs < this.#earlier.untilMs && this.#earlier.possible.has(content));
  }

  /** Notes a change until the returned function is called with whether it succeeded: then it is certain, unless another ran meanwhile. */
  change(to: string | null): (succeeded: boolean, nowMs: number) => boolean {
    this.#begun += 1;
    this.#running += 1;
    const [number, isAlone] = [this.#begun, this.#running === 1];
    this.possible.add(to);
    if (to !== null) this.sent.add(to);
    return (succeeded, nowMs) => {
      this.#running -= 1;
      const wasAlone = isAlone && this.#begun === number;
      if (succeeded && wasAlone) {
        const before = nowMs < this.#earlier.untilMs ? this.#earlier.possible : [];
        this.#earlier = { possible: new Set([...this.possible, ...before]), untilMs: nowMs + COPY_MS };
        this.possible = new Set([to]);
      }
      return succeeded && wasAlone;
    };
  }
}

export class Archive {
  readonly names: readonly Name[];
  readonly ids = new Map<number, KnownId>();
  readonly #checks: Checks;

  constructor(checks: Checks, names: readonly Name[]) {
    this.#checks = checks;
    this.names = names;
  }

  /** Notes that an answer named an id for a content. */
  note(id: number, { letter }: Pick<Name, 'letter'>, sha256: string): KnownId {
    const known = this.ids.get(id);
    this.#checks.expect(
      'meaning',
      known === undefined || known.sha256 === sha256,
      () => `the id ${id} of ${letter} has two contents.`,
    );
    const noted = known ?? { sha256, name: letter, pictures: new Map(), goneFromMs: null };
    this.ids.set(id, noted);
    return noted;
  }

  /** Every id of a name but one must be gone from a time on. */
  end(letter: string, except: number | null, fromMs: number): void {
    for (const [id, known] of this.ids) {
      if (known.name === letter && id !== except)
        known.goneFromMs = Math.min(known.goneFromMs ?? Number.POSITIVE_INFINITY, fromMs);
    }
  }

  contentOf(files: readonly WorldFile[], id: number): WorldFile | undefined {
    const sha256 = this.ids.get(id)?.sha256;
    return files.find((file) => file.sha256 === sha256);
  }
}
