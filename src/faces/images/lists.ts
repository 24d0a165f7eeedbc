// Lists of images: listImages, and getHoldings, the manifest by which archives are compared.
import { z } from '@hono/zod-openapi';
import { listedAddresses } from '../../archive/image-addresses.ts';
import { heldDayPages, holdingsPages, type ListPosition, listedPages, listedTimes } from '../../archive/image-list.ts';
import type { HeldDay, ListedImage } from '../../archive/ports.ts';
import type { Column, TablePages, TableRow } from '../../picture/encode/table.ts';
import { LIST_FORMATS, savedAs, TABLE_FORMATS, tableReply } from '../../platform/http/lists.ts';
import { choice, date, integer, jsonBody, named, notation, text, VALUE_RULES } from '../../platform/http/parameters.ts';
import { type JsonBody, NO_STORE, RECENT } from '../../platform/http/response.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { checkOrder, fileStamp, formatExact, isoDay } from '../../sun/time.ts';
import { namingHost, operation, serviceOrigin } from '../services.ts';
import { singleSource, sourceId, sourceList } from './source-parameters.ts';

/** A file. Archives are equal when they have the same names with the same SHA-256. */
const fileFields = () => ({
  date: text('Observation time, ISO 8601 with Z and all decimals that the archive has.'),
  name: text('File name, by which archives are compared.'),
  size: z.int().min(0).describe('Bytes of the JPEG 2000 file.'),
  sha256: text('SHA-256 of the file, in hexadecimal.'),
});

const listedImage = () =>
  named('ListedImage', null, {
    id: z.int().min(1).describe('Id of the image, for all operations that take one.'),
    ...fileFields(),
    jp2: text('Address of the file.'),
    header: text('Address of its header.'),
    preview: text('Address of a small picture.'),
  });

/** listImages. */
const listedImages = () =>
  named('ImageList', null, {
    images: z.array(listedImage()),
    next: text('Date of the last image where there are more, for `after`; null at the end.').nullable(),
  });

const heldFile = () => named('HeldFile', null, { sourceId: z.int().min(0), ...fileFields() });

/** The files of a source of one UTC day. */
const heldDay = () =>
  named('HeldDay', null, {
    sourceId: z.int().min(0),
    day: text('UTC day, YYYY-MM-DD.'),
    count: z.int().min(1).describe('Files of the day.'),
    bytes: z.int().min(0).describe('Their bytes.'),
    checksum: text('Sum of the first 40 bits of their SHA-256 modulo 2^40, ten hexadecimal digits.'),
  });

export type HeldFile = JsonBody<typeof heldFile>;
export type HeldDayLine = JsonBody<typeof heldDay>;

const holdingsEnd = () => ({
  next: text('Source and date of the last line where there are more, for `after`; null at the end.').nullable(),
  count: z.int().min(0).describe('Files of this list.'),
  bytes: z.int().min(0).describe('Their bytes.'),
});

const holdings = () =>
  z.union([
    named('Holdings', null, { files: z.array(heldFile()), ...holdingsEnd() }),
    named('HoldingsByDay', null, { days: z.array(heldDay()), ...holdingsEnd() }),
  ]);

type Item = JsonBody<typeof listedImages>['images'][number];

const COLUMNS = [
  { name: 'id', type: 'whole' },
  { name: 'date', type: 'time' },
  { name: 'name' },
  { name: 'size', type: 'whole' },
  { name: 'sha256' },
  ...(['jp2', 'header', 'preview'] as const).map((name) => ({ name, type: 'link' }) as const),
] as const satisfies readonly (Column & { readonly name: keyof Item })[];

const fileOf = ({ takenAtMs, fileName, byteLength, sha256 }: ListedImage) => ({
  date: formatExact(takenAtMs),
  name: fileName,
  size: byteLength,
  sha256,
});

/** `AIA_171_20240510_000000_20240511_000000`: the source, and the start and end of the range that are stated. */
function fileNameOf(sourceId: number, range: readonly (number | undefined)[]): string {
  return [findSource(sourceId)?.nickname ?? String(sourceId), ...range.filter((ms) => ms !== undefined).map(fileStamp)].join('_');
}

const listedRange = {
  startTime: date('Start of the range, included. Unset: that of the archive.').optional(),
  endTime: date('End of the range, included with the fractions of its second. Unset: that of the archive.').optional(),
};

export const listImages = operation({
  name: 'listImages',
  summary: 'The images of a datasource in a range of time, with the addresses of their files.',
  description:
    'Oldest first, and sent while they are read, so that a script can list years. A response has at most `limit` images: `next` is ' +
    'the date of its last one where there are more, and the next request has it as `after`. In JSON lines the last line is ' +
    '`{"next": …}`, so that a list that was cut off is seen; in CSV a list with `limit` lines goes on after the date of the last; in a VOTable, INFO `next` follows the table. ' +
    'No two images of a datasource have the same date. A group of datasources has no list; its members have one each.',
  tag: 'Images',
  responses: {
    'application/json': jsonBody('With format=json: the images, and the date after which the next list begins.', listedImages),
    'application/x-ndjson': 'With format=jsonl: an image a line, and `{"next": …}` as the last one.',
    'text/csv': 'With format=csv: a line with the names of the columns, and an image a line.',
    'application/x-votable+xml': 'With format=votable: a VOTable 1.4 with a row for each image, for TOPCAT and astropy.',
  },
  headers: ['Content-Disposition'],
  parameters: {
    sourceId: sourceId(),
    ...listedRange,
    after: date('Lists the images after this one: the date of the last image of an earlier list.').optional(),
    limit: integer('Images of the response.', { min: 1, max: LISTS.maxImages }).default(LISTS.images),
    format: choice('Form of the list.', TABLE_FORMATS).default('json'),
  },
  parametersInV1: null,
  edge: 'shared',
  canonical: ({ sourceId: id, startTime, endTime, after, limit, format }) => {
    const source = singleSource(id);
    checkOrder(startTime, endTime, ['startTime', 'endTime']);
    return { sourceId: source, startTime, endTime, after, limit, format };
  },
  handle: async ({ sourceId: source, startTime, endTime, after, limit, format }, context) => {
    const { services, admission } = context;
    await admission.admit('lists', limit);
    const times = listedTimes({ startMs: startTime, endMs: endTime, afterMs: after });
    const origin = serviceOrigin(context);
    async function* pages(): TablePages {
      const found = listedPages(services.index, source, times, limit);
      // `admit` has charged whole units of the most that the list may have.
      for (let beyond = (limit % LISTS.unitRecords) - limit; ; ) {
        const page = await found.next();
        if (page.done) return { next: page.value && formatExact(page.value.takenAtMs) };
        beyond += page.value.length;
        admission.owe('lists', Math.min(page.value.length, Math.max(0, beyond)));
        yield page.value.map((image): Item & TableRow => ({ id: image.id, ...fileOf(image), ...listedAddresses(image, origin) }));
      }
    }
    const headers = savedAs(format, fileNameOf(source, [after ?? startTime, endTime]));
    return tableReply(format, { name: 'images', columns: COLUMNS, pages }, { policy: namingHost(RECENT, context), headers });
  },
});

const FILE_COLUMNS = (['sourceId', 'date', 'name', 'size', 'sha256'] satisfies (keyof HeldFile)[]).map((name) => ({ name }));
const DAY_COLUMNS = (['sourceId', 'day', 'count', 'bytes', 'checksum'] satisfies (keyof HeldDayLine)[]).map((name) => ({ name }));

const fileLine = (image: ListedImage): HeldFile & TableRow => ({ sourceId: image.sourceId, ...fileOf(image) });

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
    'application/json': jsonBody('With format=json: the files and the end.', holdings),
    'application/x-ndjson': 'A file a line, and the end `{"next": …, "count": …, "bytes": …}` as the last one.',
    'text/csv': 'With format=csv: a line with the names of the columns, and a file a line.',
  },
  headers: ['Content-Disposition'],
  parameters: {
    sources: sourceList('Datasources. Unset: all that have images.').optional(),
    ...listedRange,
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
      sources: sources?.map((id) => singleSource(id, 'sources')),
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
    const pages = () =>
      detail === 'days'
        ? manifest(admission.listed(heldDayPages(index, held, LISTS.files)), dayLine, ({ count, bytes }) => [count, bytes])
        : manifest(admission.listed(holdingsPages(index, held, LISTS.files)), fileLine, ({ size }) => [1, size]);
    const table = { name: detail, columns: detail === 'days' ? DAY_COLUMNS : FILE_COLUMNS, pages };
    return tableReply(format, table, { policy: NO_STORE, headers: savedAs(format, detail) });
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
