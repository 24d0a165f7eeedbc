// The places of a request that a client fills: fields of operations, headers and JPIP fields. Operations and their fields come from the
// OpenAPI document and its examples.
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { operations } from '../../../src/routes/operations.ts';
import { TAGS } from '../../../src/routes/tags.ts';
import type { requestableArchive } from '../../support/good-requests.ts';
import { resourceInit, resourcePath } from '../../support/resource-examples.ts';
import { QUERIES } from '../jpip.ts';
import { describeText, type HostileText, textOfLength } from './texts.ts';

export const ORIGIN = 'https://helioedge.test';

type Archive = Awaited<ReturnType<typeof requestableArchive>>;

export interface Field {
  /** Name of the field in its request, which fields of several operations share. */
  readonly name: string;
  /** The request and the field, for reports. */
  readonly where: string;
  /** A valid value. */
  readonly good: string;
  /** The values of 4n, ascending. */
  readonly lengths: readonly number[];
  /** The requests with such a text of this length in the field, whose cost counts together. */
  requests(text: HostileText, length: number): readonly Request[];
  describe(text: HostileText): string;
}

/** Characters of a text in a URL or a form, below the limit of a parameter. */
const SHORT = [2000, 16_000];
/** Characters of a text in a JSON body or a header. */
const LONG = [2000, 32_000];

/** Headers that the service or its platform reads, with a valid value of each. */
export const HEADERS: Readonly<Record<string, string>> = {
  Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br;q=1.0',
  'Accept-Language': 'en-GB,en;q=0.5',
  Authorization: 'Bearer 0123456789abcdef',
  'CF-Connecting-IP': '2001:db8::1',
  'Content-Type': 'multipart/form-data; boundary="abc"; charset=utf-8',
  'Content-Length': '10',
  Cookie: 'theme=dark; __Host-sharing=0123456789abcdefghij; other="a b"',
  Forwarded: 'for=192.0.2.60;proto=http;by="[2001:db8::1]"',
  'If-Match': '"abc", W/"def"',
  'If-Modified-Since': 'Fri, 10 May 2024 12:00:00 GMT',
  'If-None-Match': 'W/"abc", "def"',
  'If-Range': '"abc"',
  'MCP-Protocol-Version': '2025-06-18',
  Origin: 'https://helioedge.test',
  Range: 'bytes=0-99',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Site': 'same-origin',
  'X-Content-SHA256': '0'.repeat(64),
  'X-Forwarded-For': '192.0.2.60, [2001:db8::1]:80',
  'X-Forwarded-Host': 'example.org:443',
};

/** Characters that a header value cannot have. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e]/g;

type Json = unknown;
type Path = readonly (string | number)[];

/** Paths of texts and of lists that are not empty in a JSON value. */
function placesIn(value: Json, path: Path = []): { readonly path: Path; readonly value: Json }[] {
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const keyOf = (key: string) => (Array.isArray(value) ? Number(key) : key);
  const isPlace = typeof value !== 'object' || (Array.isArray(value) && value.length > 0);
  return [...(isPlace ? [{ path, value }] : []), ...children.flatMap(([key, child]) => placesIn(child, [...path, keyOf(key)]))];
}

function withValueAt(whole: Json, [key, ...rest]: Path, value: Json): Json {
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.map((item, i) => (i === key ? withValueAt(item, rest, value) : item));
  return { ...(whole as object), [key]: withValueAt((whole as Record<string, Json>)[key], rest, value) };
}

const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  new Request(ORIGIN + path, { method: 'POST', body, headers });

const postJson = (path: string, body: Json, headers: Readonly<Record<string, string>> = {}) =>
  post(path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });

/** A list of as many entries as `length` has room for, equal or distinct ones. */
function listOfLength(entry: Json, length: number, areDistinct: boolean): Json[] {
  const count = Math.ceil(length / (JSON.stringify(entry).length + 1));
  return Array.from({ length: count }, (_, i) => (areDistinct && typeof entry === 'string' ? `${entry}${i}` : entry));
}

/** Fields of a JSON body: texts and numbers as hostile texts, lists as long ones. */
function jsonFields(path: string, example: Json, name: string, headers: Readonly<Record<string, string>> = {}): Field[] {
  return placesIn((example as Record<string, Json>)[name] ?? '', [name]).flatMap(({ path: place, value }): Field[] => {
    const field = { name: place.join('.'), where: `POST ${path} ${place.join('.')}`, lengths: LONG };
    const withValue = (given: Json) => postJson(path, withValueAt(example, place, given), headers);
    if (!Array.isArray(value)) {
      const requests = (text: HostileText, length: number) => [withValue(textOfLength(text, length))];
      return [{ ...field, good: String(value), requests, describe: describeText }];
    }
    return [false, true].map((areDistinct) => ({
      ...field,
      good: '',
      requests: (_, length) => [withValue(listOfLength(value[0], length, areDistinct))],
      describe: () => `n characters of ${areDistinct ? 'distinct' : 'equal'} entries like ${JSON.stringify(value[0])}`,
    }));
  });
}

/** A field of a query, a form and a multipart body. */
function formFields(path: string, good: Readonly<Record<string, string>>, name: string): Field[] {
  const valuesWith = (text: HostileText, length: number) => new URLSearchParams({ ...good, [name]: textOfLength(text, length) });
  const multipart = (values: URLSearchParams) => {
    const form = new FormData();
    for (const [key, value] of values) form.append(key, value);
    return form;
  };
  const field = { name, good: good[name] ?? '', lengths: SHORT, describe: describeText };
  return [
    { ...field, where: `GET ${path} ${name}`, requests: (...text) => [new Request(`${ORIGIN}${path}?${valuesWith(...text)}`)] },
    { ...field, where: `POST ${path} ${name} in a form`, requests: (...text) => [post(path, valuesWith(...text))] },
    { ...field, where: `POST ${path} ${name} in parts`, requests: (...text) => [post(path, multipart(valuesWith(...text)))] },
  ];
}

/** Many parameters with names near to one of the operation, in a query and in a JSON body. */
function nameFields(path: string, example: Json, good: Readonly<Record<string, string>>, name: string): Field[] {
  const names = (length: number) =>
    Array.from({ length: Math.ceil(length / (name.length + 8)) }, (_, i) => `${name}${i.toString(36)}`);
  const others = Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
  const field = { name: 'names', good: '', lengths: SHORT, describe: () => `n characters of parameters with names like ${name}` };
  const valuesOf = (length: number) => Object.fromEntries(names(length).map((key) => [key, '1']));
  return [
    {
      ...field,
      where: `GET ${path} names`,
      requests: (_, length) => [new Request(`${ORIGIN}${path}?${new URLSearchParams({ ...valuesOf(length), ...others })}`)],
    },
    {
      ...field,
      where: `POST ${path} names`,
      requests: (_, length) => [postJson(path, { ...valuesOf(length), ...(example as object) })],
    },
  ];
}

interface Documented {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>> };
}

/** The fields of every operation: those of the document and those of the example. */
export function operationFields({ good, examples }: Pick<Archive, 'good' | 'examples'>): readonly Field[] {
  const { paths } = openApiDocument(operations.values(), { origin: ORIGIN, tags: TAGS });
  return Object.entries(paths).flatMap(([path, item]) => {
    const operation = path.split('/')[2]!;
    const [example, query] = [examples.get(operation) ?? {}, good[operation] ?? {}];
    const documented = Object.values(item).flatMap(({ parameters = [], requestBody }: Documented) => [
      ...parameters.map(({ name }) => name),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
    ]);
    return [...new Set([...documented, ...Object.keys(example)])].flatMap((name) => [
      ...formFields(path, query, name),
      ...jsonFields(path, example, name),
      ...nameFields(path, example, query, name),
    ]);
  });
}

/** Every header, on requests of every kind that reads some. */
export function headerFields({ good }: Pick<Archive, 'good'>): readonly Field[] {
  const tile = `/v2/getTile/?${new URLSearchParams(good.getTile)}`;
  const requests: readonly [method: string, path: string, body?: string][] = [
    ['GET', tile],
    ['GET', '/nothing'],
    ['POST', '/v2/getClosestImage/', String(new URLSearchParams(good.getClosestImage))],
    ['GET', `/v2/uploadMovieToVideoHost/?${new URLSearchParams(good.uploadMovieToVideoHost)}`],
    ['GET', '/metrics'],
    ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ['GET', '/admin/images/a.jp2'],
    ['GET', '/internal/objects/jp2/a.jp2'],
  ];
  return Object.entries(HEADERS).map(([name, value]) => ({
    name,
    where: `${name} of ${requests.map(([method, path]) => `${method} ${path.split('?')[0]}`).join(', ')}`,
    good: value,
    lengths: LONG,
    requests: (text, length) => {
      const given = textOfLength(text, length).replace(NOT_IN_HEADERS, '?');
      return requests.map(
        ([method, path, body = null]) => new Request(ORIGIN + path, { method, body, headers: { [name]: given } }),
      );
    },
    describe: describeText,
  }));
}

/** The fields of JPIP requests. */
export function jpipFields(): readonly Field[] {
  return QUERIES.flatMap((bytes) => {
    const query = new TextDecoder().decode(bytes).slice(1).split('&');
    return query.map((pair, i): Field => {
      const [name = '', ...value] = pair.split('=');
      const pairWith = (text: HostileText, length: number) => `${name}=${textOfLength(text, length).replaceAll('&', '%26')}`;
      const requests = (text: HostileText, length: number) => [
        new Request(`${ORIGIN}/jpip/a.jp2?${query.with(i, pairWith(text, length)).join('&')}`),
      ];
      return { name, where: `JPIP ${name}`, good: value.join('='), lengths: SHORT, requests, describe: describeText };
    });
  });
}

/** Elements of an address of the explorer, which oEmbed and the page read. */
const ADDRESS = {
  date: '2024-05-10T12:00:00Z',
  imageLayers: '[SDO,AIA,AIA,171,1,100],',
  sourceId: '10',
  events: '[FL,all,1]',
  centerX: '-10.5',
  imageScale: '2.42',
};

export function addressFields(): readonly Field[] {
  return Object.entries(ADDRESS).map(([name, good]) => ({
    name,
    where: `${name} of an address`,
    good,
    lengths: SHORT,
    requests: (text, length) => {
      const address = `${ORIGIN}/?${new URLSearchParams({ ...ADDRESS, [name]: textOfLength(text, length) })}`;
      return [new Request(`${ORIGIN}/oembed?${new URLSearchParams({ url: address })}`)];
    },
    describe: describeText,
  }));
}

/** The elements and parameters of the addresses outside the operations. */
export function resourceFields({ resources }: Pick<Archive, 'resources'>): readonly Field[] {
  return resources.flatMap((example) => {
    const { path, elements, query, headers, body = {} } = example;
    const request = (given: object) => {
      const values = { ...elements, ...query, ...given };
      const pairs = Object.entries(values).filter(([name]) => !Object.hasOwn(elements, name));
      return new Request(`${ORIGIN}${resourcePath(example, values)}?${new URLSearchParams(pairs)}`, resourceInit(example));
    };
    const ofBody = Object.keys(body).flatMap((name) => jsonFields(resourcePath(example, elements), body, name, headers));
    const ofAddress = Object.entries({ ...elements, ...query }).map(([name, good]) => ({
      name,
      where: `${name} of ${path}`,
      good,
      lengths: SHORT,
      requests: (text: HostileText, length: number) => [request({ [name]: textOfLength(text, length) })],
      describe: describeText,
    }));
    return [...ofAddress, ...ofBody];
  });
}
