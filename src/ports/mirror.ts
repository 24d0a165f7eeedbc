// Ports of the mirror: the archive that it copies from, the one that it fills, and its state. Times are milliseconds since
// 1970, UTC.

/** Reasons for which an upstream does not deliver. */
export type UpstreamProblem =
  /** It fails, is too slow, or sends something else. The same request may succeed later. */
  | 'failing'
  /** It does not have this (404, 410). */
  | 'absent'
  /** It asks for fewer requests (429, 503), for longer than the mirror waits within a run. */
  | 'busy'
  /** It refuses (401, 403), or leads to another host. */
  | 'refusing'
  /** The file is larger than the archive takes. */
  | 'too-large';

export class MirrorError extends Error {
  readonly problem: UpstreamProblem;
  /** Milliseconds for which the upstream wants no request; null when it named none. */
  readonly waitMs: number | null;

  constructor(problem: UpstreamProblem, sentence: string, { waitMs = null }: { readonly waitMs?: number | null } = {}) {
    super(sentence);
    this.problem = problem;
    this.waitMs = waitMs;
  }
}

export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A file at an upstream. */
export interface UpstreamFile {
  readonly fileName: string;
  /** Its address, for reports. */
  readonly label: string;
  readonly atMs: number;
  /** @throws MirrorError */
  download(): Promise<Uint8Array>;
}

/** A part of a list of files: a day folder of a tree, or some steps of an API. */
export interface UpstreamPage {
  /** Its address, or a text that stands for it. */
  readonly key: string;
  /** Text that stays the same as long as the list does; null for one that has to be read again. */
  readonly version: string | null;
  /** Whether the list has the version that `known` returned. `files` is then empty. */
  readonly isUnchanged: boolean;
  /** Why the list could not be read, or not all of it; null when it was. */
  readonly failure: string | null;
  /** In the order of their times. */
  readonly files: readonly UpstreamFile[];
  readonly span: TimeSpan;
}

/** Images to list. */
export interface UpstreamQuery extends TimeSpan {
  readonly sourceId: number;
  /** Only the first image of each interval of this length is needed; null: every image. */
  readonly cadenceMs: number | null;
  /** Version of a page that has been worked off; null for none. */
  known(key: string): Promise<string | null>;
}

export interface MirrorUpstream {
  /** Configured address. */
  readonly address: string;
  /** Time from which files may be added to a list later: it is read again that far back. */
  readonly lateMs: number;
  /**
   * The pages of a source in the order of their times.
   * @throws MirrorError when the list cannot be read
   */
  pages(query: UpstreamQuery): AsyncGenerator<UpstreamPage>;
  /** The sources that the upstream has. @throws MirrorError */
  sources(): Promise<readonly number[]>;
}

/** Result of adding a file. `busy`: the archive takes the file later. */
export type MirrorOutcome =
  | { readonly outcome: 'added' | 'known' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly sentence: string };

/** The archive that is filled. */
export interface MirrorArchive {
  /** The names among `fileNames` that the archive has, or has withdrawn. */
  known(fileNames: readonly string[]): Promise<ReadonlySet<string>>;
  add(fileName: string, jp2: Uint8Array): Promise<MirrorOutcome>;
}

/** A chosen source, from a chosen time on: cursors of different choices are independent. */
export interface MirrorScope {
  readonly sourceId: number;
  readonly cadenceMs: number | null;
  /** Begin of what is mirrored. */
  readonly fromMs: number;
}

/** A part of the list that is incomplete because files or the list itself failed. */
export interface OpenSpan extends TimeSpan {
  readonly attempts: number;
}

export interface Refusal {
  readonly reason: string;
  readonly sentence: string;
}

/** State of the mirror of an upstream between runs. */
export interface MirrorState {
  /** Time through which the list has been worked off; null at the first run. */
  cursor(scope: MirrorScope): Promise<number | null>;
  /** Moves the cursor forward; an earlier time has no effect. */
  moveCursor(scope: MirrorScope, throughMs: number): Promise<void>;
  pageVersion(key: string): Promise<string | null>;
  keepPage(key: string, version: string): Promise<void>;
  /** Refusals of the files with these names, by name. */
  refusals(fileNames: readonly string[]): Promise<ReadonlyMap<string, Refusal>>;
  keepRefusal(sourceId: number, fileName: string, refusal: Refusal): Promise<void>;
  /** Open spans that are due. */
  openSpans(scope: MirrorScope): Promise<readonly OpenSpan[]>;
  /** Records a failed attempt at a span. */
  openSpan(scope: MirrorScope, span: OpenSpan, sentence: string): Promise<void>;
  closeSpan(scope: MirrorScope, span: TimeSpan): Promise<void>;
}

/** Result of a step of the clock at a source. */
export interface StepResult {
  /** Images added. */
  readonly added: number;
  /** Time of the next step. */
  readonly dueAtMs: number;
  /** Why the upstream failed; null when it did not. */
  readonly sentence: string | null;
}

/** State of an upstream over all of its sources. */
export interface MirrorHeartbeat {
  readonly upstream: string;
  readonly sources: number;
  /** Last step without a failure of the upstream; null before the first. */
  readonly okAtMs: number | null;
  readonly triedAtMs: number | null;
  /** Earliest of the cursors. */
  readonly cursorMs: number | null;
  /** Images added so far. */
  readonly added: number;
  /** Sources at which the last step failed. */
  readonly failing: number;
  /** Why, at one of them. */
  readonly sentence: string | null;
  /** Incomplete parts of the lists; this number and the next are counted to ten thousand. */
  readonly open: number;
  /** Files that the ingest has refused within a month. */
  readonly refused: number;
}

/** Turns of the sources on the clock. A claim ends by itself, because a step may be cut off. */
export interface MirrorClaims {
  /** Adds the sources that are new. */
  begin(scopes: readonly MirrorScope[]): Promise<void>;
  /** The source that has been due for longest, for `leaseMs`, with the begin that it had when it was new; null when none is due. */
  claim(scopes: readonly MirrorScope[], leaseMs: number): Promise<MirrorScope | null>;
  /** Failed steps in sequence. */
  failures(scope: MirrorScope): Promise<number>;
  finish(scope: MirrorScope, result: StepResult): Promise<void>;
  /** Puts off all sources of the upstream. */
  postpone(untilMs: number): Promise<void>;
  heartbeat(): Promise<MirrorHeartbeat>;
  /** Removes the oldest pages and refusals before a time. @returns how many */
  sweep(beforeMs: number): Promise<number>;
}
