// Fuzz target of the API: requests made from the OpenAPI document, with valid, boundary and hostile values, to the whole application
// over an archive in memory. No request may fail with an error of the service, and every response is as the document describes it.
import { MCP_PATH, TOOL_NAMES } from '../../src/faces/mcp/tools.ts';
import { operations } from '../../src/faces/operations.ts';
import { TAGS } from '../../src/faces/pages.ts';
import { openApiDocument } from '../../src/platform/http/openapi/document.ts';
import { VERSIONS } from '../../src/platform/http/request.ts';
import { expectDescribed } from '../support/described-responses.ts';
import { LAWLESS_SOURCE, MEASURING_OPERATIONS, requestableArchive } from '../support/good-requests.ts';
import type { ResourceExample } from '../support/resource-examples.ts';
import { resourceInit, resourcePath, WEBHOOK_EXAMPLES, WEBHOOKS_PATH } from '../support/resource-examples.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { pick, type Random } from './mutate.ts';

const ORIGIN = 'https://helioedge.test';

interface Schema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

const HOSTILE: readonly string[] = [
  ...['', ' ', '0', '-1', '-0', '1e308', '1e-320', 'NaN', 'Infinity', '0x10', '9007199254740993', '99999999999999999999', '1,5'],
  ...['null', 'undefined', 'true', '[]', '{}', '[[', '{"a":', '[object Object]', '__proto__', 'constructor', 'toString'],
  ...['../../etc/passwd', '/', '\\', '%', '%00', '%E0%A4%A', '\u0000', '\ud800', '\u202e', '💥', 'ﬃ', '＜', '\r\nX-Injected: 1'],
  ...["' OR 1=1 --", '"; DROP TABLE images; --', '<script>alert(1)</script>', '*', '?', '&', '#'],
  ...['2024-05-10T00:00:00Z', '0000-00-00', '2024-02-30T25:61:61Z', '+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z'],
  ...['[10,1,100]', '[10,1,100],'.repeat(200), `[${'['.repeat(500)}`, 'x'.repeat(20_000), '9'.repeat(400), '(a+)+$'],
  '[10,1,1e999]',
];

/** Values at and around the bounds of a schema. */
function boundaries({ minimum, maximum, enum: words = [] }: Schema): string[] {
  const bounds = [minimum, maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound, bound - 1, bound + 1, bound + 0.5, -bound].map(String),
  );
  return [...bounds, ...words, ...words.map((word) => word.toUpperCase())];
}

/** A text with a piece cut out, doubled or replaced. */
function mutated(random: Random, text: string): string {
  const at = Math.floor(random() * (text.length + 1));
  const end = at + Math.floor(random() * 4);
  return (
    text.slice(0, at) + pick(random, ['', text.slice(at, end).repeat(2), pick(random, HOSTILE).slice(0, 40)]) + text.slice(end)
  );
}

/** Parts of the values of a request that are good. With the larger one, most requests get past the checks of all their parameters. */
const GOOD_SHARES = [0.55, 0.95];

interface Drawn {
  readonly schema: Schema;
  readonly good: string | undefined;
  /** One of GOOD_SHARES. */
  readonly goodShare: number;
}

function drawnValue(random: Random, { schema, good, goodShare }: Drawn): string | undefined {
  if (random() < goodShare) return good;
  const draw = random();
  if (draw < 1 / 3) return pick(random, [...boundaries(schema), ...HOSTILE]);
  if (draw < 2 / 3) return mutated(random, good ?? pick(random, HOSTILE));
  return draw < 0.9 ? pick(random, HOSTILE) : undefined;
}

/** Requests with the same parameters in the query, a form and a JSON body. */
function requestOf(random: Random, path: string, values: URLSearchParams): Request {
  const url = `${ORIGIN}${path}`;
  const headers: Record<string, string> = {};
  if (random() < 0.1)
    headers.Range = pick(random, ['bytes=0-0', 'bytes=99999999999-', 'bytes=-0', 'bytes=5-1', 'bytes=a-b', 'lines=1-2']);
  if (random() < 0.05) headers['If-None-Match'] = pick(random, ['*', '"', 'W/"x"', ','.repeat(1000)]);
  const draw = random();
  if (draw < 0.75) {
    // Percent signs that stand for nothing.
    const query = random() < 0.05 ? `${values}&%=%zz&%E0%A4%A` : String(values);
    return new Request(`${url}?${query}`, { headers, method: draw < 0.05 ? 'HEAD' : 'GET' });
  }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
  if (draw < 0.85) return new Request(url, { method: 'POST', headers: form, body: String(values) });
  const json = JSON.stringify(Object.fromEntries([...values].map(([name, value]) => [name, random() < 0.2 ? [value] : value])));
  const type = {
    'Content-Type': random() < 0.1 ? pick(random, ['text/plain', 'application/xml', '/', '']) : 'application/json',
    ...headers,
  };
  return new Request(url, { method: 'POST', headers: type, body: random() < 0.1 ? mutated(random, json) : json });
}

/** The parameters as the arguments of a tool of the Model Context Protocol. */
function toolRequestOf(random: Random, name: string, values: URLSearchParams): Request {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: Object.fromEntries(values) } };
  const json = JSON.stringify(call);
  const body = random() < 0.2 ? mutated(random, json) : json;
  return new Request(`${ORIGIN}${MCP_PATH}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}

/** Part of the requests whose addresses are outside the operations. */
const RESOURCES = 0.3;

/** Part of the measurements that are of images without a law. */
const LAWLESS = 0.1;

/** A request of such an address. */
function resourceRequest(random: Random, example: ResourceExample, goodShare: number): Request {
  const drawn = (good: Readonly<Record<string, string>>) =>
    Object.entries(good).flatMap(([name, value]) => {
      const text = drawnValue(random, { schema: {}, good: value, goodShare });
      return text === undefined ? [] : [[name, text] as const];
    });
  const path = resourcePath(example, { ...example.elements, ...Object.fromEntries(drawn(example.elements)) });
  const values = new URLSearchParams(drawn(example.query).map(([name, text]): [string, string] => [name, text]));
  if (random() < 0.05) values.append(pick(random, HOSTILE).slice(0, 100), pick(random, HOSTILE));
  if (example.takesPost) return requestOf(random, path, values);
  const body = example.body && drawnBody(random, example.body, goodShare);
  return new Request(`${ORIGIN}${path}?${values}`, resourceInit(example, body));
}

/** A JSON body in which members, or entries of their lists, are replaced by other values, and some of the text is changed. */
function drawnBody(random: Random, body: Readonly<Record<string, unknown>>, goodShare: number): string {
  const drawn = (value: unknown): unknown => {
    if (Array.isArray(value) && random() < 0.8) return value.map(drawn);
    if (random() < goodShare) return value;
    const other = pick(random, HOSTILE);
    return pick(random, [other, Number(other), [other], { [other.slice(0, 100)]: value }, null, undefined, true]);
  };
  const json = JSON.stringify(Object.fromEntries(Object.entries(body).map(([name, value]) => [name, drawn(value)])));
  return random() < 0.2 ? mutated(random, json) : json;
}

/** The archive of the examples, with a webhook. */
async function archiveWithWebhook() {
  const archive = await requestableArchive();
  await archive.get(WEBHOOKS_PATH, resourceInit(WEBHOOK_EXAMPLES[0]!));
  return archive;
}

export const requestsTarget: FuzzTarget = async () => {
  const { get, good, resources } = await archiveWithWebhook();
  const { paths } = openApiDocument(operations.values(), { origin: ORIGIN, tags: TAGS });
  const names = [...operations.keys()];
  const send = async (request: Request, onInput: (input: string) => void) => {
    const sent = await sentOf(request);
    onInput(JSON.stringify(sent, null, 1));
    await check(get, sent);
  };
  return async (random, onInput) => {
    const goodShare = pick(random, GOOD_SHARES);
    if (random() < RESOURCES) return send(resourceRequest(random, pick(random, resources), goodShare), onInput);
    const name = pick(random, names);
    const version = random() < 0.15 ? VERSIONS[0]! : VERSIONS[1]!;
    const path = `/${version}/${name}/`;
    const parameters = Object.values(paths[path] ?? {}).flatMap((operation) => operation.parameters ?? []);
    const known = new Map(parameters.map(({ name: parameter, schema }) => [parameter, schema as Schema]));
    const values = new URLSearchParams();
    for (const parameter of new Set([...known.keys(), ...Object.keys(good[name] ?? {})])) {
      const value = drawnValue(random, { schema: known.get(parameter) ?? {}, good: good[name]?.[parameter], goodShare });
      if (value !== undefined) values.append(parameter, value);
      if (random() < 0.03) values.append(parameter, pick(random, HOSTILE));
    }
    if (random() < 0.05) values.append(pick(random, HOSTILE).slice(0, 100), pick(random, HOSTILE));
    if (MEASURING_OPERATIONS.includes(name) && random() < LAWLESS) values.set('sourceId', LAWLESS_SOURCE);
    const isTool = TOOL_NAMES.includes(name) && random() < 0.3;
    const isAction = !isTool && random() < 0.1;
    if (isAction) values.append('action', name);
    await send(isTool ? toolRequestOf(random, name, values) : requestOf(random, isAction ? '/' : path, values), onInput);
  };
};

export const requestsReplay: FuzzReplay = async () => {
  const { get } = await archiveWithWebhook();
  return (input) => check(get, JSON.parse(new TextDecoder().decode(input)) as SentRequest);
};

/** A request as text. */
interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
}

async function sentOf(request: Request): Promise<SentRequest> {
  const { method, url, headers } = request;
  const body = method === 'POST' ? await request.text() : null;
  return { method, path: url.slice(ORIGIN.length), headers: [...headers], body };
}

/** @throws Error for an error of the service, and for a response that the document does not describe */
async function check(
  get: (path: string, init: RequestInit) => Promise<Response>,
  { method, path, headers, body }: SentRequest,
): Promise<void> {
  const init = { headers: headers.map(([name, value]): [string, string] => [name, value]) };
  const response = await get(path, { ...init, method, ...(body === null ? {} : { body }) });
  const url = new URL(path, ORIGIN);
  const where = `${method} ${path.slice(0, 2000)}`;
  const text = await response.clone().text();
  const isInternal = text.includes('internal error');
  const isAction = url.pathname === '/';
  // The action form answers every failure by 500.
  // IIIF asks for 501 where a server does not have an option of the standard.
  const isOption = url.pathname.startsWith('/iiif/') && response.status === 501;
  // Most images of the archive have a text in place of their file, which is damaged where its header is read.
  const isDamaged = response.status === 500 && text.includes('"error":"This image is damaged and cannot be decoded."');
  const isExpected = (isAction && response.status === 500) || isOption || isDamaged || response.headers.has('Retry-After');
  const isFault = response.status >= 500 && !isExpected;
  if (isInternal || isFault) throw new Error(`${where} gave ${response.status} ${text.slice(0, 300)}`);
  if (response.headers.has('X-Injected')) throw new Error(`${where} added a header`);
  await expectDescribed(url, method, response);
  // Removed, because there may be few webhooks, and a case depends on no other.
  if (response.status === 201) await get(`${WEBHOOKS_PATH}/${JSON.parse(text).id}`, { ...init, method: 'DELETE' });
}
