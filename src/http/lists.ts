// Long lists of records, sent while they are read.
import { escapeXml } from '../util/markup.ts';
import type { CachePolicy } from './cache-policy.ts';
import { type FlowingRepresentation, JSON_TYPE, namedFile } from './response.ts';

/** Lists of numbers are separated by blanks in CSV. */
type ListValue = string | number | null | readonly (number | null)[];

/** Values by name, the same names in the same order for each record of a list. */
export type ListRecord = Readonly<Record<string, ListValue>>;

/** The last part of a list, such as where the next list begins: null after the last one. */
export type ListEnd = ListRecord;

/** Pages of records; the end is known after the last one. */
type RecordPages = AsyncGenerator<readonly ListRecord[], ListEnd>;

export const LIST_FORMATS = ['json', 'jsonl', 'csv'] as const;
export const TABLE_FORMATS = [...LIST_FORMATS, 'votable'] as const;
type ListFormat = (typeof TABLE_FORMATS)[number];

/** JSON lines have no registered media type; this one is in general use. */
const JSON_LINES_TYPE = 'application/x-ndjson';

const LIST_TYPES: Readonly<Record<ListFormat, string>> = {
  json: JSON_TYPE,
  jsonl: `${JSON_LINES_TYPE}; charset=utf-8`,
  csv: 'text/csv; charset=utf-8',
  votable: 'application/x-votable+xml; charset=utf-8',
};

/** Kind of the values of a column, for tables that state it. */
type ColumnKind = 'text' | 'integer' | 'time' | 'link';

interface ListShape {
  readonly name: string;
  /** Names of the values of a record, in the order of CSV. */
  readonly columns: readonly string[];
  /** Kinds of the columns. Unset: text. */
  readonly kinds?: Readonly<Partial<Record<string, ColumnKind>>>;
  /** Name of the list as a file, without extension. */
  readonly fileName: string;
  /** Members of JSON before the list. Unset: none. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const NEEDS_QUOTES = /[",\r\n]/;

function field(value: ListValue): string {
  const text = value === null ? '' : typeof value === 'object' ? value.join(' ') : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvRow = (values: readonly ListValue[]): string => values.map(field).join(',');

const line = (values: readonly ListValue[]) => `${csvRow(values)}\r\n`;

/** Attributes of a FIELD of VOTable (IVOA recommendation 1.4, section 4.1; times as in DALI 1.1, section 3.3.3). */
const FIELD_ATTRIBUTES: Readonly<Record<ColumnKind, string>> = {
  text: 'datatype="char" arraysize="*"',
  integer: 'datatype="long"',
  time: 'datatype="char" arraysize="*" xtype="timestamp" ucd="time.epoch"',
  link: 'datatype="char" arraysize="*" ucd="meta.ref.url"',
};

const tableRow = (record: ListRecord, columns: readonly string[]) =>
  `<TR>${columns.map((column) => `<TD>${escapeXml(String(record[column] ?? ''))}</TD>`).join('')}</TR>\n`;

/** A VOTable with one table. Its end is in INFO elements, which are missing from a list that was cut off. */
async function* tableText(pages: RecordPages, { name, columns, kinds = {} }: ListShape): AsyncGenerator<string> {
  const fields = columns.map((column) => `<FIELD name="${escapeXml(column)}" ${FIELD_ATTRIBUTES[kinds[column] ?? 'text']}/>\n`);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">\n<RESOURCE type="results">\n' +
    `<INFO name="QUERY_STATUS" value="OK"/>\n<TABLE name="${name}">\n${fields.join('')}<DATA>\n<TABLEDATA>\n`;
  const end = yield* pagesAsText(pages, (page) => page.map((record) => tableRow(record, columns)).join(''));
  const infos = Object.entries(end).map(([key, value]) => `<INFO name="${key}" value="${escapeXml(String(value ?? ''))}"/>\n`);
  yield `</TABLEDATA>\n</DATA>\n</TABLE>\n${infos.join('')}</RESOURCE>\n</VOTABLE>\n`;
}

/** The pages with a piece of text for each; returns the end of the list. */
async function* pagesAsText(pages: RecordPages, text: (page: readonly ListRecord[]) => string): AsyncGenerator<string, ListEnd> {
  for (;;) {
    const page = await pages.next();
    if (page.done) return page.value;
    if (page.value.length > 0) yield text(page.value);
  }
}

/** The text of a list. `jsonl`: the end is the last line, which shows that the list is complete. `csv`: without the end. */
async function* listText(format: ListFormat, pages: RecordPages, shape: ListShape): AsyncGenerator<string> {
  const { name, columns, facts = {} } = shape;
  if (format === 'votable') return yield* tableText(pages, shape);
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
  const saved = format === 'json' ? {} : namedFile('attachment', `${shape.fileName}.${format === 'votable' ? 'vot' : format}`);
  const headers = { ...saved, ...shape.headers };
  return { contentType: LIST_TYPES[format], policy, headers, flow: () => listText(format, pages(), shape) };
}
