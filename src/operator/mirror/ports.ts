// A mirror between its steps, and the archive that it copies from. Times are milliseconds since 1970, UTC.
import { z } from 'zod';
import { MIRROR_REQUESTS } from '../../platform/limits/mirror.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { isPlainHttp } from '../../platform/util/url.ts';
import { parseChoice } from '../../sun/catalogue/chosen-sources.ts';

export type TimeSpan = { readonly fromMs: number; readonly toMs: number };

export const isAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && isPlainHttp(url) && url.search === '' && url.hash === '';
};

/** Another archive, and how fast it may be asked. */
export const COMMANDED_UPSTREAM = z.strictObject({
  kind: z.enum(['tree', 'api']),
  address: z.string().refine(isAddress),
  perSecond: z.number().min(0.1).max(MIRROR_REQUESTS.maxPerSecond),
  parallel: z.number().int().min(1).max(MIRROR_REQUESTS.maxParallel),
});
export type CommandedUpstream = z.output<typeof COMMANDED_UPSTREAM>;

/** A time of a Date, as those of the days beside it. */
const LAST_MS = 8.64e15 - 2 * DAY_MS;
const time = z.number().int().min(-LAST_MS).max(LAST_MS);
/** Eight digits of seconds, as of `--cadence`. */
const LONGEST_CADENCE_MS = 99_999_999_000;

const scope = z.strictObject({
  sourceId: z.number().refine((id) => parseChoice(String(id)) !== null),
  cadenceMs: z.number().int().positive().max(LONGEST_CADENCE_MS).nullable(),
  fromMs: time,
});
/** A chosen source, from a chosen time on: cursors of different choices are independent. */
export type MirrorScope = Readonly<z.output<typeof scope>>;

const position = z.object({
  part: z.enum(['open', 'list']).describe('An incomplete part of the list, by its start; the page of the list that begins then.'),
  fromMs: time,
  afterName: z.string().nullable().describe('The last file of the page that was tried.'),
  failure: z.string().nullable().describe('First failure of the page so far.'),
});
/** Where a step was cut off, and the next one continues. */
export type MirrorPosition = z.output<typeof position>;

/** `again`: whether the run reads the whole list, and tries refused files again. `position`: null for the first step of a run. */
export const COMMANDED_STEP = COMMANDED_UPSTREAM.extend({
  ...{ scope, toMs: time, again: z.boolean(), position: position.nullable() },
});
export type CommandedStep = Omit<z.output<typeof COMMANDED_STEP>, 'kind' | 'address' | 'perSecond'>;

/** A part of the list that is incomplete because files or the list itself failed. */
export interface OpenSpan extends TimeSpan {
  readonly attempts: number;
}

export type Refusal = { readonly reason: string; readonly sentence: string };

/** A listed file that waits for its copy. The attempt tells a message from the one that has followed it. */
export type PlannedFile = { readonly fileName: string; readonly attempts: number };

type UpstreamProblem =
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
  readonly retryAfterMs: number | null;

  constructor(problem: UpstreamProblem, sentence: string, retryAfterMs: number | null = null) {
    super(sentence);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface UpstreamFile {
  readonly fileName: string;
  readonly address: string;
  readonly atMs: number;
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
