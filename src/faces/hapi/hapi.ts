// HAPI 3.2 at `/hapi`, `/hapi/jhelioviewer` and, with the datasets of the public server of Helioviewer, `/hapi/Helioviewer/hapi` (https://github.com/hapi-server/data-specification): times and files of images, counts by day,
// light curves, events, and the X-ray flux.

import { htmlReply } from '../../platform/http/html.ts';
import { csvRow } from '../../platform/http/lists.ts';
import { addressText, type ParameterShape, type Values } from '../../platform/http/parameters.ts';
import { type BytesRepresentation, CATALOGUE, MEDIA_TYPES, RECENT, textReply } from '../../platform/http/response.ts';
import { withFirst } from '../../platform/util/concurrency.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import type { Failure } from '../../platform/util/errors.ts';
import { SERVICE_CHANGED_MS, SERVICE_NAME, SERVICE_VERSION } from '../../platform/util/identity.ts';
import { type Context, failedAs, namingHost, resource, serviceOrigin } from '../services.ts';
import type { HapiDataset, HapiParameter, HapiRange, HapiRow } from './dataset.ts';
import { formatHapiTime, type HapiCode, HapiFailure, hapiStatus, parseHapiTime, ROUNDING_MS } from './dataset.ts';
import { allDatasets, allFieldDatasets, findDataset, findFieldDataset } from './datasets.ts';

const HAPI_VERSION = '3.2';

const HAPI_FORMATS = ['csv', 'binary', 'json'] as const;
type HapiFormat = (typeof HAPI_FORMATS)[number];

/** HAPI asks for JSON without parameters. */
const JSON_TYPE = 'application/json';
const HAPI_TYPES = { csv: MEDIA_TYPES.csv, binary: MEDIA_TYPES.npy, json: JSON_TYPE } as const;

const bytesOf = ({ type, length = type === 'integer' ? 4 : 8 }: HapiParameter): number => length;

/** Little-endian numbers and texts padded with zeros, without separators. */
function binary(rows: readonly HapiRow[], parameters: readonly HapiParameter[]): Uint8Array {
  const size = parameters.reduce((sum, parameter) => sum + bytesOf(parameter), 0);
  const bytes = new Uint8Array(size * rows.length);
  const view = new DataView(bytes.buffer);
  const encoder = new TextEncoder();
  let at = 0;
  for (const row of rows) {
    for (const [i, parameter] of parameters.entries()) {
      const value = row[i]!;
      if (parameter.type === 'integer') view.setInt32(at, Number(value), true);
      else if (parameter.type === 'double') view.setFloat64(at, Number(value), true);
      else encoder.encodeInto(String(value), bytes.subarray(at, at + bytesOf(parameter)));
      at += bytesOf(parameter);
    }
  }
  return bytes;
}

/** The header in lines that begin with `#`, as in front of CSV and binary data. */
const commented = (header: object) => `#${JSON.stringify(header, null, 1).replaceAll('\n', '\n#')}\n`;

/** @param header The info response with the format; null where it is not requested. JSON always has it */
async function* hapiData(
  format: HapiFormat,
  header: object | null,
  { places, parameters }: { readonly places: readonly number[]; readonly parameters: readonly HapiParameter[] },
  pages: AsyncIterable<readonly HapiRow[]>,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'json') yield `${JSON.stringify(header).slice(0, -1)},"data":[`;
  else if (header) yield commented(header);
  let separator = '\n';
  for await (const page of pages) {
    const rows = page.map((row) => places.map((place) => row[place]!));
    if (format === 'binary') yield binary(rows, parameters);
    else if (format === 'csv') yield rows.map((row) => `${csvRow(row)}\n`).join('');
    else yield separator + rows.map((row) => JSON.stringify(row)).join(',\n');
    separator = ',\n';
  }
  if (format === 'json') yield '\n]}\n';
}

const body = (value: object, status: ReturnType<typeof hapiStatus>): string =>
  JSON.stringify({ HAPI: HAPI_VERSION, status, ...value });

const reply = (value: object, policy: string, lastModifiedMs?: number): Promise<BytesRepresentation> =>
  textReply(JSON_TYPE, body(value, hapiStatus(1200)), { policy, lastModifiedMs });

const statusIn = (failure: Failure) => {
  const fault = failure.parameter === undefined ? '' : `The parameter at fault is ${failure.parameter}.`;
  return failure instanceof HapiFailure ? failure.status : hapiStatus(1400, fault);
};

/** Bad requests in the form of HAPI; other failures keep that of the service, with its headers. */
const failed = failedAs(
  JSON_TYPE,
  (failure) => (['bad-parameter', 'missing-parameter'].includes(failure.kind) ? body({}, statusIn(failure)) : null),
  (failure) => ([1406, 1407].includes(statusIn(failure).code) ? 404 : 400),
);

const FAILURES = {
  unknown: (_: string, known: readonly string[]): HapiFailure =>
    new HapiFailure(1401, known.length > 0 ? `Known are ${known.join(', ')}.` : 'This endpoint has no parameters.'),
  failed,
};

/** A parameter, which the endpoint reads by itself. */
const TEXT = addressText('text').optional();

/** A word of a closed list, where it is given. @throws HapiFailure with the code of another word */
function wordOf<W extends string>(given: unknown, known: readonly W[], code: HapiCode): W | undefined {
  const word = known.find((one) => one === given);
  if (word !== given) throw new HapiFailure(code, `Known: ${known.join(', ')}.`);
  return word;
}

/** A server: clients add the names of endpoints to its path. */
interface Server {
  readonly root: string;
  /** The root in other spellings as well. Unset: `root`. */
  readonly pattern?: string;
  /** Whether parameters have `jhvparams`, which the schema of HAPI does not permit. */
  readonly isDrawn: boolean;
  readonly all: (context: Context) => Promise<readonly HapiDataset[]>;
  readonly find: (id: string, context: Context) => HapiDataset | null;
}

const endpoint = ({ root, pattern = root }: Server, name: string) => ({
  name: `${root}/${name}`,
  path: new RegExp(`^/${pattern}/${name}$`),
});

/** An endpoint without parameters. `lastModifiedMs`: of a value that no data change. */
const plain = (
  server: Server,
  name: string,
  policy: string,
  value: (context: Context) => Promise<object> | object,
  { shape = {}, lastModifiedMs }: { readonly shape?: ParameterShape; readonly lastModifiedMs?: number } = {},
) =>
  resource({
    ...endpoint(server, name),
    parameters: shape,
    canonical: ({ depth }) => {
      wordOf(depth, ['dataset'], 1413);
      return {};
    },
    ...FAILURES,
    key: () => ({}),
    handle: async (_, context) => reply(await value(context), namingHost(policy, context), lastModifiedMs),
  });

const capabilities = (server: Server) =>
  plain(server, 'capabilities', CATALOGUE, () => ({ outputFormats: HAPI_FORMATS }), { lastModifiedMs: SERVICE_CHANGED_MS });

/** Without Last-Modified, because the range of its test follows the data. */
const about = (server: Server) =>
  plain(server, 'about', CATALOGUE, async (context) => {
    const [dataset] = await server.all(context);
    const extent = await dataset?.extent();
    const names = dataset?.parameters.slice(1).map(({ name }) => name);
    const test = dataset && extent && { query: { dataset: dataset.id, ...sample(extent, dataset), parameters: String(names) } };
    return {
      id: SERVICE_NAME,
      title: `${SERVICE_NAME} ${SERVICE_VERSION}`,
      contact: `The operator of ${serviceOrigin(context)}/status`,
      description:
        'Images of the Sun: times, files and distances by datasource, numbers of images and events by day, light curves, events with their values, and the solar X-ray flux.',
      ...(test ? { dataTest: { name: 'Last day of the first dataset', ...test } } : {}),
    };
  });

const catalog = (server: Server) =>
  plain(
    server,
    'catalog',
    RECENT,
    async (context) => ({ catalog: (await server.all(context)).map(({ id, title }) => ({ id, title })) }),
    { shape: { depth: TEXT } },
  );

/** Days of a sample of records of days, from which clients see the cadence. */
const DAYS_OF_SAMPLE = 7;

/** A range at the end of a dataset that has records: its last day or days, or all of a shorter one. */
function sample({ startMs, stopMs }: HapiRange, { cadence, print = formatHapiTime }: HapiDataset) {
  const days = cadence === 'P1D' ? DAYS_OF_SAMPLE : 1;
  return { start: print(Math.max(startMs, stopMs - days * DAY_MS)), stop: print(stopMs) };
}

/** `jhvparams`: releases before 5.10 have the names in lower case. */
const drawnMember = (drawn: NonNullable<HapiParameter['jhvparams']>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(drawn).flatMap(([name, value]) => [name, name.toLowerCase()].map((key) => [key, value])));

async function infoOf({ isDrawn }: Server, dataset: HapiDataset, extent: HapiRange, parameters: readonly HapiParameter[]) {
  const { start, stop } = sample((await dataset.sample?.()) ?? extent, dataset);
  const { print = formatHapiTime, description, cadence, maxRequestDuration } = dataset;
  return {
    startDate: print(extent.startMs),
    stopDate: print(extent.stopMs),
    sampleStartDate: start,
    sampleStopDate: stop,
    // Intervals begin at their time.
    timeStampLocation: 'begin',
    ...(cadence ? { cadence } : {}),
    ...(maxRequestDuration ? { maxRequestDuration } : {}),
    description,
    unitsSchema: 'astropy3',
    parameters: parameters.map(({ jhvparams, ...parameter }) => ({
      ...parameter,
      ...(isDrawn && jhvparams ? { jhvparams: drawnMember(jhvparams) } : {}),
    })),
  };
}

/** Places of the parameters that a request names, with the time. @throws HapiFailure 1407 for an unknown name, 1411 for another order or duplicates */
function chosenPlaces(all: readonly HapiParameter[], names: string | undefined): readonly number[] {
  if (names === undefined) return all.map((_, i) => i);
  const places = names.split(',').map((name) => all.findIndex((parameter) => parameter.name === name));
  if (places.includes(-1)) throw new HapiFailure(1407, 'The names are in the info response.');
  if (places.some((place, i) => i > 0 && place <= places[i - 1]!)) throw new HapiFailure(1411);
  return [0, ...places.filter((place) => place > 0)];
}

/** A dataset and its chosen parameters. @throws HapiFailure 1406 for one that does not exist or has no records, and of `chosenPlaces` */
async function chosen({ find }: Server, { dataset: id, parameters: names }: ReturnType<typeof namedBy>, context: Context) {
  const dataset = find(id, context);
  const extent = await dataset?.extent();
  if (!dataset || !extent) throw new HapiFailure(1406, 'The ids are in the catalog response.');
  const places = chosenPlaces(dataset.parameters, names);
  return { dataset, extent, places, parameters: places.map((place) => dataset.parameters[place]!) };
}

/** With `id`, the name of version 2 for `dataset`, which servers of version 3 accept (section 1.1). */
const infoShape = { dataset: TEXT, id: TEXT, parameters: TEXT, resolve_references: TEXT };

/** @throws HapiFailure 1400 for neither name of the dataset; 1412, although no response has references */
function namedBy({ dataset, id, parameters, resolve_references }: Values<typeof infoShape>) {
  wordOf(resolve_references, ['true', 'false'], 1412);
  const given = dataset ?? id;
  if (given === undefined) throw new HapiFailure(1400, 'State the id of a dataset as dataset.');
  return { dataset: given, parameters };
}

const info = (server: Server) =>
  resource({
    ...endpoint(server, 'info'),
    parameters: infoShape,
    canonical: namedBy,
    ...FAILURES,
    key: (canonical) => canonical,
    handle: async (named, context) => {
      const { dataset, extent, parameters } = await chosen(server, named, context);
      return reply(await infoOf(server, dataset, extent, parameters), namingHost(RECENT, context));
    },
  });

/** With the names of version 2 for `start`, which is included, and `stop`, which is not. */
const dataShape = { ...infoShape, start: TEXT, stop: TEXT, 'time.min': TEXT, 'time.max': TEXT, include: TEXT, format: TEXT };

/** @throws HapiFailure 1402 to 1404 */
function rangeOf(start: string | undefined, stop: string | undefined): HapiRange {
  const startMs = start === undefined ? null : parseHapiTime(start);
  if (startMs === null) throw new HapiFailure(1402, 'State a time like 2024-05-10T12:00:00Z as start.');
  const stopMs = stop === undefined ? null : parseHapiTime(stop);
  if (stopMs === null) throw new HapiFailure(1403, 'State a time like 2024-05-10T12:00:00Z as stop.');
  if (startMs >= stopMs) throw new HapiFailure(1404);
  return { startMs, stopMs };
}

const data = (server: Server) =>
  resource({
    ...endpoint(server, 'data'),
    parameters: dataShape,
    ...FAILURES,
    canonical: ({ include, format, start, stop, ...named }) => {
      const hasHeader = wordOf(include, ['header'], 1410) !== undefined;
      const range = rangeOf(start ?? named['time.min'], stop ?? named['time.max']);
      return { ...namedBy(named), hasHeader, format: wordOf(format, HAPI_FORMATS, 1409) ?? 'csv', range };
    },
    key: ({ range, ...canonical }) => ({ ...canonical, ...range }),
    handle: async ({ hasHeader, format, range, ...named }, context) => {
      const { dataset, extent, places, parameters } = await chosen(server, named, context);
      if (range.startMs < extent.startMs - ROUNDING_MS || range.stopMs > extent.stopMs + ROUNDING_MS) {
        throw new HapiFailure(
          1405,
          `This dataset has data from ${formatHapiTime(extent.startMs)} to ${formatHapiTime(extent.stopMs)}.`,
        );
      }
      const count = await dataset.count(range);
      if (count > dataset.most) {
        const most = `${dataset.most} ${dataset.counted ?? 'records'}`;
        throw new HapiFailure(1408, `A response has at most ${most}. Divide the range.`);
      }
      await context.admission.admitAll('lists', count);
      const pages = dataset.pages(range);
      const first = await pages.next();
      const status = hapiStatus(first.done ? 1201 : 1200);
      const isShown = hasHeader || format === 'json';
      const info = isShown ? await infoOf(server, dataset, extent, parameters) : null;
      const header = info && { HAPI: HAPI_VERSION, status, format, ...info };
      const all = first.done ? pages : withFirst(first.value, pages);
      const flow = () => hapiData(format, header, { places, parameters }, all);
      return { contentType: HAPI_TYPES[format], policy: namingHost(RECENT, context), headers: {}, flow };
    },
  });

const ENDPOINTS = ['about', 'capabilities', 'catalog', 'info', 'data'] as const;

const landing = ({ root, pattern = root }: Server) =>
  resource({
    name: root,
    path: new RegExp(`^/${pattern}$`),
    key: () => ({}),
    handle: () => {
      const links = ENDPOINTS.slice(0, 3).map((name) => `<li><a href="/${root}/${name}">${name}</a></li>`);
      const page = `<p>Times, files and distances of images of the Sun by datasource, numbers of images and events by day, light curves, events with their values, and the solar X-ray flux, for clients of the
<a href="https://hapi-server.org">Heliophysics API</a> ${HAPI_VERSION}.</p><ul>${links.join('')}<li>info?dataset=</li><li>data?dataset=&amp;start=&amp;stop=</li></ul>`;
      return htmlReply({ title: `${SERVICE_NAME}: HAPI`, body: page }, { policy: CATALOGUE });
    },
  });

/** Section 4.1: an endpoint that does not exist is a bad request. */
const nothing = resource({
  name: 'hapi',
  path: /^\/hapi\/.+$/,
  handle: () => Promise.reject(new HapiFailure(1400, `Known endpoints are ${ENDPOINTS.join(', ')}.`)),
  failed,
});

const OWN = { all: allDatasets, find: findDataset };

const SERVERS: readonly Server[] = [
  { ...OWN, root: 'hapi', isDrawn: false },
  { ...OWN, root: 'hapi/jhelioviewer', isDrawn: true },
  {
    root: 'hapi/Helioviewer/hapi',
    pattern: 'hapi/[Hh]elioviewer/hapi',
    isDrawn: false,
    all: allFieldDatasets,
    find: findFieldDataset,
  },
];

export const hapiResources = [
  ...SERVERS.flatMap((server) => [landing, capabilities, about, catalog, info, data].map((make) => make(server))),
  nothing,
];
