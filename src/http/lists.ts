// Long lists of records, sent while they are read.
import type { CachePolicy } from './cache-policy.ts';
import { type FlowingRepresentation, JSON_TYPE } from './response.ts';

/** Lists of numbers are separated by blanks in CSV. */
type ListValue = string | number | null | readonly (number | null)[];

/** Values by name, the same names in the same order for each record of a list. */
export type ListRecord = Readonly<Record<string, ListValue>>;

/** The last part of a list, such as where the next list begins: null after the last one. */
export type ListEnd = ListRecord;

/** Pages of records; the end is known after the last one. */
export type RecordPages = AsyncGenerator<readonly ListRecord[], ListEnd>;

export const LIST_FORMATS = ['json', 'jsonl', 'csv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** JSON lines have no registered media type; this one is in general use. */
const JSON_LINES_TYPE = 'application/x-ndjson';

const LIST_TYPES: Readonly<Record<ListFormat, string>> = {
  json: JSON_TYPE,
  jsonl: `${JSON_LINES_TYPE}; charset=utf-8`,
  csv: 'text/csv; charset=utf-8',
};

export interface ListShape {
  /** Name of the list in JSON. */
  readonly name: string;
  /** Names of the values of a record, in the order of CSV. */
  readonly columns: readonly string[];
  /** Name of the list as a file, without extension. */
  readonly fileName: string;
  /** What JSON has before the list. Unset: nothing. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const NEEDS_QUOTES = /[",\r\n]/;

/** A field of CSV (RFC 4180). */
function field(value: ListValue): string {
  const text = value === null ? '' : typeof value === 'object' ? value.join(' ') : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line of CSV without its end. */
export const csvRow = (values: readonly ListValue[]): string => values.map(field).join(',');

const line = (values: readonly ListValue[]) => `${csvRow(values)}\r\n`;

/** The pages with a piece of text for each; returns the end of the list. */
async function* pagesAsText(pages: RecordPages, text: (page: readonly ListRecord[]) => string): AsyncGenerator<string, ListEnd> {
  for (;;) {
    const page = await pages.next();
    if (page.done) return page.value;
    if (page.value.length > 0) yield text(page.value);
  }
}

/**
 * The text of a list. `json`: an object with the list under `name`, and the end; `jsonl`: a record a line, the end as the last line,
 * which shows that the list is complete; `csv`: a line with the names of `columns`, and a record a line, without the end.
 */
async function* listText(
  format: ListFormat,
  pages: RecordPages,
  { name, columns, facts = {} }: ListShape,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield line(columns);
    yield* pagesAsText(pages, (page) => page.map((record) => line(columns.map((column) => record[column] ?? null))).join(''));
    return;
  }
  if (format === 'jsonl') {
    const end = yield* pagesAsText(pages, (page) => page.map((record) => `${JSON.stringify(record)}\n`).join(''));
    yield `${JSON.stringify(end)}\n`;
    return;
  }
  yield JSON.stringify({ ...facts, [name]: [] }).slice(0, -2);
  let separator = '\n';
  const end = yield* pagesAsText(pages, (page) => {
    const text = separator + page.map((record) => JSON.stringify(record)).join(',\n');
    separator = ',\n';
    return text;
  });
  const closing = Object.keys(end).length > 0 ? `],${JSON.stringify(end).slice(1)}` : ']}';
  yield `\n${closing}\n`;
}

/** A list as a response. `pages` is called when the response is sent. */
export function listReply(
  format: ListFormat,
  pages: () => RecordPages,
  shape: ListShape,
  policy: CachePolicy,
): FlowingRepresentation {
  // Browsers show JSON, and save the other formats.
  const saved = format === 'json' ? {} : { 'Content-Disposition': `attachment; filename="${shape.fileName}.${format}"` };
  const headers = { ...saved, ...shape.headers };
  return { contentType: LIST_TYPES[format], policy, headers, flow: () => listText(format, pages(), shape) };
}
