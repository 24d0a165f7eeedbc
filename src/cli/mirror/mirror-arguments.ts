// Arguments of `npm run mirror`.
import type { parseArgs } from 'node:util';
import { isAddress } from '../../operator/mirror/ports.ts';
import { EARLIEST_IMAGE_MS } from '../../platform/limits/images.ts';
import { MIRROR_REQUESTS } from '../../platform/limits/mirror.ts';
import { CHOICE_FORM, type ChosenSource, parseChoice } from '../../sun/catalogue/chosen-sources.ts';
import { expected, FLAG, instant, SERVICE_HELP, TEXT, wholeNumber } from '../command.ts';

export const HELP = `npm run mirror -- --from-tree URL | --from-api URL --sources LIST [options]

Copies images from another archive into a running service and keeps it in step. URL is a folder over HTTP in the layout of the archive,
which has those of the instruments, or the start of an API of Helioviewer such as https://api.helioviewer.org/v2. The service itself
downloads the files, so it must reach URL. It remembers what is done: the same command continues from there, reads what is new, and tries
again what has failed.

  --sources LIST    source ids separated by commas, 10:300 for one image in 300 seconds; or all
  --cadence SECONDS one image in so many seconds, for the sources without a cadence of their own
  --from DATE       begins at this time; another time than before is a separate back-fill (the first image)
  --to DATE         ends at this time (now)
  --again           reads the whole list again, to fill gaps and to repeat what was refused
  --every MINUTES   repeats the run at this interval until it is interrupted
  --rate N          requests a second, 0.1 to ${MIRROR_REQUESTS.maxPerSecond} (${MIRROR_REQUESTS.perSecond})
  --parallel N      requests at once, 1 to ${MIRROR_REQUESTS.maxParallel} (${MIRROR_REQUESTS.parallel})
  --report FILE     writes each refused or failed file as a line of JSON: label, outcome, reason, sentence

${SERVICE_HELP}

Exit status: 0 in step, 1 some files or lists could not be read, 2 some were refused, 130 interrupted.`;

export const OPTIONS = {
  ...{ 'from-tree': TEXT, 'from-api': TEXT, sources: TEXT, cadence: TEXT, from: TEXT, to: TEXT, again: FLAG },
  ...{ every: TEXT, report: TEXT, rate: { ...TEXT, default: String(MIRROR_REQUESTS.perSecond) } },
  parallel: { ...TEXT, default: String(MIRROR_REQUESTS.parallel) },
} as const;

const MAX_MINUTES = 10_080;

export type MirrorArguments = ReturnType<typeof mirrorArguments>;

/** @throws Error that names the argument */
export function mirrorArguments(values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']) {
  const { 'from-tree': tree, 'from-api': api } = values;
  if ((tree === undefined) === (api === undefined)) throw new Error('State --from-tree or --from-api, and not both.');
  const cadence = optional('cadence', values.cadence, 1, 99_999_999);
  const minutes = optional('every', values.every, 1, MAX_MINUTES);
  return {
    kind: tree === undefined ? ('api' as const) : ('tree' as const),
    address: addressOf(tree === undefined ? 'from-api' : 'from-tree', (tree ?? api)!),
    /** Null: all that the upstream has. */
    sources: values.sources === 'all' ? null : sourcesOf(values.sources),
    cadenceMs: cadence === null ? null : 1000 * cadence,
    fromMs: values.from === undefined ? EARLIEST_IMAGE_MS : instant('from', values.from),
    /** Null: the time of the run. */
    toMs: values.to === undefined ? null : instant('to', values.to),
    again: values.again,
    /** Null: one run. */
    everyMs: minutes === null ? null : 60_000 * minutes,
    perSecond: decimal('rate', values.rate, 0.1, MIRROR_REQUESTS.maxPerSecond),
    parallel: wholeNumber('parallel', values.parallel, 1, MIRROR_REQUESTS.maxParallel),
  };
}

function addressOf(name: string, text: string): string {
  if (!isAddress(text)) throw expected('an http address', name, text);
  return new URL(text).href;
}

function sourcesOf(text: string | undefined): ChosenSource[] {
  const choices = (text ?? '').split(',').filter((choice) => choice.trim() !== '');
  if (choices.length === 0) throw expected('source ids separated by commas, or all,', 'sources', text);
  return choices.map((choice) => {
    const parsed = parseChoice(choice);
    if (!parsed) throw expected(CHOICE_FORM, 'sources', choice);
    return parsed;
  });
}

function decimal(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max)) throw expected(`a number from ${min} to ${max}`, name, text);
  return value;
}

const optional = (name: string, text: string | undefined, min: number, max: number) =>
  text === undefined ? null : wholeNumber(name, text, min, max);
