// getHoldings: the manifest of the archive, by which two archives are compared.
import { heldDayPages, holdingsPages, type ListPosition, listedTimes } from '../../archive/image-list.ts';
import type { HeldDay, ListedImage } from '../../archive/ports.ts';
import type { TablePages, TableRow } from '../../picture/encode/table.ts';
import { NO_STORE } from '../../platform/http/cache-policy.ts';
import { LIST_FORMATS, savedAs, tableReply } from '../../platform/http/lists.ts';
import { jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, date, notation, VALUE_RULES } from '../../platform/http/parameters.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { checkOrder, formatExact, isoDay } from '../../sun/time.ts';
import { operation } from '../services.ts';
import { type HeldDayLine, type HeldFile, holdings as holdingsSchema } from './list-schemas.ts';
import { sourceList } from './source-parameters.ts';

const FILE_COLUMNS = (['sourceId', 'date', 'name', 'size', 'sha256'] satisfies (keyof HeldFile)[]).map((name) => ({ name }));
const DAY_COLUMNS = (['sourceId', 'day', 'count', 'bytes', 'checksum'] satisfies (keyof HeldDayLine)[]).map((name) => ({ name }));

const fileLine = ({ sourceId, takenAtMs, fileName, byteLength, sha256 }: ListedImage): HeldFile & TableRow => ({
  sourceId,
  date: formatExact(takenAtMs),
  name: fileName,
  size: byteLength,
  sha256,
});

const CHECKSUM_DIGITS = 10;

const dayLine = ({ sourceId, startMs, images, bytes, checksum }: HeldDay): HeldDayLine & TableRow => ({
  sourceId,
  day: isoDay(startMs),
  count: images,
  bytes,
  checksum: checksum.toString(16).padStart(CHECKSUM_DIGITS, '0'),
});

const AFTER_EXAMPLE = '10,2024-05-10T00:00:00Z';

/** A position in a list: source and date, separated by a comma. @throws Failure `bad-parameter` */
export function positionOf(text: string, parameter: string): ListPosition {
  const [source = '', ...rest] = text.split(',');
  const [sourceId, takenAtMs] = [VALUE_RULES.integer(source), VALUE_RULES.date(rest.join(','))];
  if (sourceId === undefined || takenAtMs === undefined) {
    throw badParameter(parameter, `a source and a UTC date like ${AFTER_EXAMPLE}`, text);
  }
  return { sourceId, takenAtMs };
}

export const printPosition = ({ sourceId, takenAtMs }: ListPosition): string => `${sourceId},${formatExact(takenAtMs)}`;

export const getHoldings = operation({
  name: 'getHoldings',
  summary: 'The manifest of the archive: name, size and SHA-256 of every file, by source and time.',
  description:
    'Two archives with equal manifests have the same files: `npm run compare` compares them. The list is sent while it is read, ' +
    `source by source and in the order of time. A response has at most ${LISTS.files.toLocaleString('en-GB')} files; where there ` +
    'are more, `next` of its end is the `after` of the next request. In JSON lines the end is the last line: without it the list ' +
    'was cut off. `detail=days` has a line for each source and day in place of its files, so that archives of millions of files ' +
    'are compared by some thousand lines; a day belongs to a range that contains a part of it.',
  tag: 'Images',
  responses: {
    'application/json': jsonBody('With format=json: the files and the end.', holdingsSchema),
    'application/x-ndjson': 'A file a line, and the end `{"next": …, "count": …, "bytes": …}` as the last one.',
    'text/csv': 'With format=csv: a line with the names of the columns, and a file a line.',
  },
  headers: ['Content-Disposition'],
  parameters: {
    sources: sourceList('Datasources. Unset: all that have images.').optional(),
    startTime: date('Start of the range, included. Unset: that of the archive.').optional(),
    endTime: date('End of the range, included with the fractions of its second. Unset: that of the archive.').optional(),
    after: notation('Lists the files after this position: `next` of an earlier list.', {
      what: 'a source and a date',
      example: AFTER_EXAMPLE,
    }).optional(),
    detail: choice('`files`: a line for each file; `days`: one for each source and day, with a checksum of its files.', [
      'files',
      'days',
    ]).default('files'),
    format: choice('Form of the list.', LIST_FORMATS).default('jsonl'),
  },
  parametersInV1: null,
  edge: 'none',
  canonical: ({ sources, startTime, endTime, after, detail, format }) => {
    checkOrder(startTime, endTime, ['startTime', 'endTime']);
    return {
      sources: sources?.toSorted((a, b) => a - b),
      times: listedTimes({ startMs: startTime, endMs: endTime }),
      after: after === undefined ? null : positionOf(after, 'after'),
      detail,
      format,
    };
  },
  handle: async ({ sources, times, after, detail, format }, { services: { index }, admission, stopwatch }) => {
    await admission.admit('lists', LISTS.unitRecords);
    const present = await stopwatch.measure('index', () => index.extents());
    const sourceIds = [...present.keys()].filter((id) => sources?.includes(id) ?? true).sort((a, b) => a - b);
    const held = { sourceIds, times, after };
    if (detail === 'days') {
      const pages = () =>
        manifest(admission.listed(heldDayPages(index, held, LISTS.files)), dayLine, ({ count, bytes }) => [count, bytes]);
      return tableReply(
        format,
        { name: 'days', columns: DAY_COLUMNS, pages },
        { policy: NO_STORE, headers: savedAs(format, 'days') },
      );
    }
    const pages = () => manifest(admission.listed(holdingsPages(index, held, LISTS.files)), fileLine, ({ size }) => [1, size]);
    return tableReply(
      format,
      { name: 'files', columns: FILE_COLUMNS, pages },
      { policy: NO_STORE, headers: savedAs(format, 'files') },
    );
  },
});

/** The lines of a manifest, and its end with the sums of files and bytes. */
async function* manifest<Item, Line extends TableRow>(
  found: AsyncGenerator<readonly Item[], ListPosition | null>,
  lineOf: (item: Item) => Line,
  sizeOf: (line: Line) => readonly [files: number, bytes: number],
): TablePages {
  let [count, bytes] = [0, 0];
  for (;;) {
    const page = await found.next();
    if (page.done) return { next: page.value && printPosition(page.value), count, bytes };
    const lines = page.value.map(lineOf);
    for (const line of lines) {
      const [files, size] = sizeOf(line);
      count += files;
      bytes += size;
    }
    yield lines;
  }
}
