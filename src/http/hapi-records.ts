// Records of HAPI as CSV, binary and JSON (Heliophysics API 3.2, section 3.7.4).
import type { HapiParameter, HapiRecord } from '../domain/hapi/parameters.ts';
import { csvRow } from './lists.ts';

export const HAPI_FORMATS = ['csv', 'binary', 'json'] as const;
export type HapiFormat = (typeof HAPI_FORMATS)[number];

export const HAPI_TYPES: Readonly<Record<HapiFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  binary: 'application/octet-stream',
  json: 'application/json',
};

const NUMBER_BYTES = { integer: 4, double: 8 } as const;

const bytesOf = ({ type, length }: HapiParameter): number =>
  type === 'integer' || type === 'double' ? NUMBER_BYTES[type] : length!;

/** Little-endian numbers and texts padded with zeros, without separators. */
function binary(records: readonly HapiRecord[], parameters: readonly HapiParameter[]): Uint8Array {
  const size = parameters.reduce((sum, parameter) => sum + bytesOf(parameter), 0);
  const bytes = new Uint8Array(size * records.length);
  const view = new DataView(bytes.buffer);
  const encoder = new TextEncoder();
  let at = 0;
  for (const record of records) {
    for (const parameter of parameters) {
      const value = record[parameter.name]!;
      if (parameter.type === 'integer') view.setInt32(at, Number(value), true);
      else if (parameter.type === 'double') view.setFloat64(at, Number(value), true);
      else encoder.encodeInto(String(value), bytes.subarray(at, at + parameter.length!));
      at += bytesOf(parameter);
    }
  }
  return bytes;
}

const valuesOf = (record: HapiRecord, parameters: readonly HapiParameter[]) => parameters.map(({ name }) => record[name]!);

/** The header in lines that begin with `#`, as in front of CSV and binary data. */
const commented = (header: object) => `#${JSON.stringify(header, null, 1).replaceAll('\n', '\n#')}\n`;

interface HapiData {
  /** The info response with the format; null where it is not requested. JSON always has it. */
  readonly header: object | null;
  readonly parameters: readonly HapiParameter[];
  /** The first page is known before the response begins. */
  readonly pages: AsyncIterable<readonly HapiRecord[]>;
}

/** The data in pieces of a page. */
export async function* hapiData(
  format: HapiFormat,
  { header, parameters, pages }: HapiData,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'json') {
    yield `${JSON.stringify(header).slice(0, -1)},"data":[`;
    let separator = '\n';
    for await (const page of pages) {
      if (page.length > 0) yield separator + page.map((record) => JSON.stringify(valuesOf(record, parameters))).join(',\n');
      if (page.length > 0) separator = ',\n';
    }
    yield '\n]}\n';
    return;
  }
  if (header) yield commented(header);
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield format === 'binary'
      ? binary(page, parameters)
      : page.map((record) => `${csvRow(valuesOf(record, parameters))}\n`).join('');
  }
}
