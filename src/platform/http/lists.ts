// Tables of any length as text, sent while they are read.
import type { Cell, Column, Table, TablePages, TableRow } from '../../picture/encode/table.ts';
import { escapeXml } from '../util/markup.ts';
import { extensionOf, type FileType, type FlowingRepresentation, isShown, MEDIA_TYPES, namedFile } from './response.ts';

export const LIST_FORMATS = ['json', 'jsonl', 'csv'] as const;
export const TABLE_FORMATS = [...LIST_FORMATS, 'votable'] as const;
type TableFormat = (typeof TABLE_FORMATS)[number];

const NEEDS_QUOTES = /[",\r\n]/;

function field(value: Cell): string {
  const text = value === null ? '' : typeof value === 'object' ? value.join(' ') : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvRow = (values: readonly Cell[]): string => values.map(field).join(',');

const line = (values: readonly Cell[]) => `${csvRow(values)}\r\n`;

/** Attributes of a FIELD of VOTable (IVOA recommendation 1.4, section 4.1; times as in DALI 1.1, section 3.3.3). */
const FIELD_ATTRIBUTES: Readonly<Record<NonNullable<Column['type']>, string>> = {
  text: 'datatype="char" arraysize="*"',
  whole: 'datatype="long"',
  float: 'datatype="double"',
  time: 'datatype="char" arraysize="*" xtype="timestamp" ucd="time.epoch"',
  link: 'datatype="char" arraysize="*" ucd="meta.ref.url"',
};

/** A VOTable with one table. Its end is in INFO elements, which are missing from a list that was cut off. */
async function* votable({ name, columns, pages }: Table): AsyncGenerator<string> {
  const field = ({ name: title, type = 'text' }: Column) => `<FIELD name="${escapeXml(title)}" ${FIELD_ATTRIBUTES[type]}/>\n`;
  const row = (values: TableRow) =>
    `<TR>${columns.map((column) => `<TD>${escapeXml(String(values[column.name] ?? ''))}</TD>`).join('')}</TR>\n`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">\n<RESOURCE type="results">\n' +
    `<INFO name="QUERY_STATUS" value="OK"/>\n<TABLE name="${name}">\n${columns.map(field).join('')}<DATA>\n<TABLEDATA>\n`;
  const end = yield* pagesAsText(pages(), (page) => page.map(row).join(''));
  const infos = Object.entries(end).map(([key, value]) => `<INFO name="${key}" value="${escapeXml(String(value ?? ''))}"/>\n`);
  yield `</TABLEDATA>\n</DATA>\n</TABLE>\n${infos.join('')}</RESOURCE>\n</VOTABLE>\n`;
}

/** The pages with a piece of text for each; returns the end of the list. */
async function* pagesAsText(pages: TablePages, text: (page: readonly TableRow[]) => string): AsyncGenerator<string, TableRow> {
  for (;;) {
    const page = await pages.next();
    if (page.done) return page.value;
    if (page.value.length > 0) yield text(page.value);
  }
}

/** The text of a table. `jsonl`: the end is the last line, which shows that the list is complete. `csv`: without the end. */
async function* tableText(format: TableFormat, table: Table): AsyncGenerator<string> {
  const { name, columns, facts = {} } = table;
  if (format === 'votable') return yield* votable(table);
  const pages = table.pages();
  if (format === 'csv') {
    const names = columns.map((column) => column.name);
    yield line(names);
    yield* pagesAsText(pages, (page) => page.map((row) => line(names.map((column) => row[column] ?? null))).join(''));
    return;
  }
  if (format === 'jsonl') {
    const end = yield* pagesAsText(pages, (page) => page.map((row) => `${JSON.stringify(row)}\n`).join(''));
    yield `${JSON.stringify(end)}\n`;
    return;
  }
  yield JSON.stringify({ ...facts, [name]: [] }).slice(0, -2);
  let separator = '\n';
  const end = yield* pagesAsText(pages, (page) => {
    const text = separator + page.map((row) => JSON.stringify(row)).join(',\n');
    separator = ',\n';
    return text;
  });
  const closing = Object.keys(end).length > 0 ? `],${JSON.stringify(end).slice(1)}` : ']}';
  yield `\n${closing}\n`;
}

/** The header of a file that browsers save, by its name without extension; none for one that they show. */
export const savedAs = (type: FileType, stem: string) =>
  isShown(type) ? {} : namedFile('attachment', `${stem}.${extensionOf(type)}`);

/** A table as a response. */
export const tableReply = (
  format: TableFormat,
  table: Table,
  facts: Pick<FlowingRepresentation, 'policy' | 'headers'>,
): FlowingRepresentation => ({
  contentType: MEDIA_TYPES[format],
  ...facts,
  flow: () => tableText(format, table),
});
