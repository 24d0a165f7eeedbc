// listImages: the images of a datasource in a range of time.
import { listedAddresses } from '../../archive/image-addresses.ts';
import { listedPages, listedTimes } from '../../archive/image-list.ts';
import type { ListedImage } from '../../archive/ports.ts';
import type { Column, TablePages, TableRow } from '../../picture/encode/table.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { savedAs, TABLE_FORMATS, tableReply } from '../../platform/http/lists.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, date, integer } from '../../platform/http/parameters.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { checkOrder, fileStamp, formatExact } from '../../sun/time.ts';
import { namingHost, operation, serviceOrigin } from '../services.ts';
import { listedImages as listedImagesSchema } from './list-schemas.ts';
import { singleSource, sourceId } from './source-parameters.ts';

type Item = JsonBody<typeof listedImagesSchema>['images'][number];

const COLUMNS = [
  { name: 'id', type: 'whole' },
  { name: 'date', type: 'time' },
  { name: 'name' },
  { name: 'size', type: 'whole' },
  { name: 'sha256' },
  ...(['jp2', 'header', 'preview'] as const).map((name) => ({ name, type: 'link' }) as const),
] as const satisfies readonly (Column & { readonly name: keyof Item })[];

const record = (image: ListedImage, origin: string): Item & TableRow => ({
  id: image.id,
  date: formatExact(image.takenAtMs),
  name: image.fileName,
  size: image.byteLength,
  sha256: image.sha256,
  ...listedAddresses(image, origin),
});

/** `AIA_171_20240510_000000_20240511_000000`: the source, and the start and end of the range that are stated. */
function fileNameOf(sourceId: number, range: readonly (number | undefined)[]): string {
  return [findSource(sourceId)?.nickname ?? String(sourceId), ...range.filter((ms) => ms !== undefined).map(fileStamp)].join('_');
}

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
    'application/json': jsonBody(
      'With format=json: the images, and the date after which the next list begins.',
      listedImagesSchema,
    ),
    'application/x-ndjson': 'With format=jsonl: an image a line, and `{"next": …}` as the last one.',
    'text/csv': 'With format=csv: a line with the names of the columns, and an image a line.',
    'application/x-votable+xml': 'With format=votable: a VOTable 1.4 with a row for each image, for TOPCAT and astropy.',
  },
  headers: ['Content-Disposition'],
  parameters: {
    sourceId: sourceId(),
    startTime: date('Start of the range, included. Unset: that of the archive.').optional(),
    endTime: date('End of the range, included with the fractions of its second. Unset: that of the archive.').optional(),
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
        yield page.value.map((image) => record(image, origin));
      }
    }
    const headers = savedAs(format, fileNameOf(source, [after ?? startTime, endTime]));
    return tableReply(format, { name: 'images', columns: COLUMNS, pages }, { policy: namingHost(RECENT, context), headers });
  },
});
