import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MCP_PATH, TOOL_NAMES } from '../../../src/faces/mcp/tools.ts';
import { operations } from '../../../src/faces/operations.ts';
import { ROUTES, routeOf } from '../../../src/faces/routes.ts';
import { LAYER_PARAMETERS } from '../../../src/picture/operations/operations.ts';
import { checkHeaders } from '../../../src/platform/http/request.ts';
import { REQUEST_LIMITS } from '../../../src/platform/limits/http.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { growthAboveLinear } from './detector.ts';
import { type Field, postJson } from './field.ts';
import { fieldGroups } from './fields.ts';
import { HEADERS, headerFields } from './headers.ts';
import { type Definition, mcpFields } from './mcp.ts';
import { addressFields, jpipFields, resourceFields, viewFields } from './paths.ts';
import { growthService } from './service.ts';
import { describeText, drawTexts, textOfLength } from './texts.ts';

const SEARCH = { lengths: [16, 160, 1600], floor: 100 };

/** Steps of a search for the end of blanks from every character, as of `\s*$` without an anchor. */
function stepsFromEachCharacter(text: string): number {
  let steps = 0;
  for (let from = 0; from < text.length; from++) {
    for (let at = from; text[at] === ' '; at++) steps += 1;
    steps += 1;
  }
  return steps;
}

const blanks = (length: number) => `${' '.repeat(length)}x`;

it('the detector of growth finds cost in the square of the length, with the least of several runs at n, 2n and 4n', async () => {
  expect(await growthAboveLinear((length) => stepsFromEachCharacter(blanks(length)), SEARCH)).toEqual({
    lengths: [4, 8, 16],
    costs: [15, 45, 153],
  });
});

it('the detector of growth finds the square that begins at longer inputs, and the cube', async () => {
  const beyond = (length: number) => stepsFromEachCharacter(blanks(length > 100 ? length : 0));
  expect((await growthAboveLinear(beyond, SEARCH))?.lengths).toEqual([40, 80, 160]);
  expect((await growthAboveLinear((length) => length ** 3, SEARCH))?.costs).toEqual([64, 512, 4096]);
});

it.each<[string, (length: number) => number]>([
  ['constant cost', () => 1000],
  ['linear cost', (length) => 1000 + 7 * length],
  ['cost of sorting', (length) => 10 * length * Math.log2(length + 2)],
  ['the square below the floor', (length) => length ** 2 / 100_000],
  ['a cost that a limit ends', (length) => (length > 8 ? 200 : length ** 2)],
])('the detector of growth does not find %s', async (_, cost) => {
  expect(await growthAboveLinear(cost, SEARCH)).toBeNull();
});

it('the detector of growth finds the square in spite of an interruption of a run at half the length', async () => {
  let runs = 0;
  const cost = (length: number) => length ** 2 + (runs++ === 1 ? 10_000_000 : 0);
  expect((await growthAboveLinear(cost, { lengths: [1600], floor: 100 }))?.lengths).toEqual([400, 800, 1600]);
});

it('the detector of growth measures again before it reports', async () => {
  let runs = 0;
  const cost = (length: number) => (runs++ < 12 ? length ** 2 : length);
  expect(await growthAboveLinear(cost, SEARCH)).toBeNull();
});

const texts = Array.from({ length: 50 }, (_, seed) => drawTexts(randomNumbers(seed), 'FL--SWPC--abc')).flat();

it('hostile texts repeat the marks of a valid value behind a part of it, end in what fails late, and grow with length', () => {
  expect(texts).toContainEqual({ start: 'FL--', piece: '--', end: '\nx' });
  expect(texts).toContainEqual({ start: 'FL--SWPC', piece: ' ', end: '\nx' });
  for (const text of texts) {
    const [short, long] = [textOfLength(text, 1000).length, textOfLength(text, 4000).length];
    expect([long - short, describeText(text)]).toEqual([expect.closeTo(3000, -2), expect.stringContaining(' × n + ')]);
  }
});

const ROOT = join(import.meta.dirname, '../../../src');

/** Names of request headers in the source, from `headers.get('Range')`, `c.req.header('Range')` and the comparison of a header. */
function headersInSource(): Set<string> {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!cli\/|explorer\/).*\.ts$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(ROOT, name), 'utf8'));
  const names = /(?:headers\.(?:get|has)\(|req\.header\(|checkHeader\(headers, )'([^']+)'/g;
  return new Set(texts.flatMap((text) => [...text.matchAll(names)].map((match) => match[1]!)));
}

/** Elements of an address of the explorer in the source. */
function elementsInSource(): Set<string> {
  const text = readFileSync(join(ROOT, 'picture/address/read-address.ts'), 'utf8');
  const named = [...text.matchAll(/(?:query\.get\(|numberOf\(query, )'([^']+)'/g)].map((match) => match[1]!);
  return new Set([...named, ...LAYER_PARAMETERS.flatMap(({ parameters }) => Object.keys(parameters))]);
}

/** Headers of responses of the service, its platform and its upstreams, which the same code reads. */
const OF_RESPONSES = `Age Cache-Control CDN-Cache-Control Cf-Cache-Status Content-Disposition Content-Encoding Content-Range
  Content-Security-Policy ETag Last-Modified Location Retry-After Set-Cookie Vary X-Notice X-Request-Id`.split(/\s+/);

const rowsOf = (kind: string) => ROUTES.filter((route) => route.kind === kind);

describe('the growth target', async () => {
  const service = await growthService();
  const fields = fieldGroups(service).flat();
  const namesOf = (some: readonly Field[]) => new Set(some.map(({ name }) => name));
  /** The requests of a field with one text. */
  const requestsWith = ({ requests }: Field, text: string) =>
    requests.map((request) => request({ start: text, piece: ' ', end: '' }, 0));
  const respond = (request: Request) => service.app.request(request);

  /** The fields whose requests with this text, or with the good one, a file or a resource responds to. */
  const fieldsOf = (route: (typeof ROUTES)[number], text?: string) =>
    [...addressFields(service), ...resourceFields(service)].filter((field) =>
      requestsWith(field, text ?? field.good ?? '').some((request) => routeOf(request).route === route),
    );

  it('sends every header that the source reads', () => {
    const read = [...headersInSource()].filter((name) => !OF_RESPONSES.includes(name));
    expect(read).toEqual(expect.arrayContaining(['Range', 'Mcp-Name']));
    expect(read.filter((name) => !(name in HEADERS))).toEqual([]);
    expect([...namesOf(headerFields(service))]).toEqual(Object.keys(HEADERS));
  });

  it('sends headers up to their limit that none is refused for', async () => {
    const most = REQUEST_LIMITS.headerCharacters;
    for (const { name, good, lengths, requests } of headerFields(service)) {
      for (const text of [0, 1, 2].flatMap((seed) => drawTexts(randomNumbers(seed), good!))) {
        const { headers } = requests[0]!(text, lengths.at(-1)!);
        expect(() => checkHeaders(headers)).not.toThrow();
        if (text.piece.trim() !== '') expect(headers.get(name)!.length).toBeGreaterThan(0.95 * most);
      }
    }
    expect(() => checkHeaders(new Headers({ Cookie: 'a'.repeat(most + 1) }))).toThrow('characters for the header cookie');
  });

  it('gets past the checks of who asks and of what is sent with headers of any length', async () => {
    const field = headerFields(service).find(({ name }) => name === 'X-Forwarded-For')!;
    const statusesAt = async (length: number) => {
      const requests = field.requests.map((request) => request({ start: '192.0.2.60', piece: ',', end: '' }, length));
      return Promise.all(requests.map(async (request) => `${request.method} ${(await respond(request)).status}`));
    };
    const expected = ['GET 404', 'GET 200', 'POST 200', 'GET 401', 'POST 200', 'PUT 400', 'GET 200'];
    expect(await statusesAt(0)).toEqual(expected);
    expect(await statusesAt(field.lengths.at(-1)!)).toEqual(expected);
  });

  it('sends the operations of the video host to one, from a browser with a session', async () => {
    const statusOf = async (where: string) => {
      const field = fields.find((one) => one.where === where)!;
      const response = await respond(requestsWith(field, field.good!)[0]!);
      return [response.status, response.ok ? '' : await response.text()];
    };
    expect(await statusOf('GET /v2/getVideoHostAuth/ title')).toEqual([302, '']);
    expect(await statusOf('GET /v2/uploadMovieToVideoHost/ title')).toEqual([401, expect.stringContaining('not authorised')]);
    expect(await statusOf('GET /v2/uploadMovieToVideoHost/ state')).toEqual([
      403,
      expect.stringContaining('not started by this'),
    ]);
  });

  it('fills every parameter of every operation in a query, a form, parts and JSON', () => {
    const places = new Set(fields.map(({ where }) => where));
    for (const { name: operation, shapes } of operations.values()) {
      expect([operation, [...places].some((place) => place.includes(`/${operation}/ `))]).toEqual([operation, true]);
      for (const name of Object.keys(shapes.v2 ?? {})) {
        const path = `/v2/${operation}/`;
        const forms = [`GET ${path} ${name}`, `POST ${path} ${name} in a form`, `POST ${path} ${name} in parts`];
        expect(forms.filter((form) => !places.has(form))).toEqual([]);
        expect([...places].some((place) => place.startsWith(`POST ${path} ${name}`) && !/ in (a form|parts)$/.test(place))).toBe(
          true,
        );
      }
    }
    expect(places).toContain('POST /v2/postMovie/ eventsState.tree_HEK.layers.0.event_instances.0');
    expect(places).toContain('GET / action');
    expect([...namesOf(jpipFields())]).toEqual(
      expect.arrayContaining(['fsiz', 'model', 'metareq', 'context', 'cid', 'cclose', 'target']),
    );
  });

  it.for(rowsOf('file'))('fills what a client chooses in the file $path', (route) => {
    expect(fieldsOf(route)).not.toEqual([]);
    // A path with a repetition or an open end has fields.
    if (/\+|\|\$/.test(route.path.source)) {
      const ofPath = fieldsOf(route, 'chosen').filter((field) =>
        requestsWith(field, 'chosen')[0]!.url.split('?')[0]!.includes('chosen'),
      );
      expect(ofPath).not.toEqual([]);
    }
  });

  it.for(rowsOf('resource'))('fills every element of the resource $path', (route) => {
    const elements = [...route.path.source.matchAll(/\(\?<(\w+)>/g)].map((match) => match[1]!);
    const found = fieldsOf(route);
    expect(found).not.toEqual([]);
    const isFilled = (element: string) => found.some(({ where }) => where.startsWith(`${element} of `));
    expect(elements.filter((element) => !isFilled(element))).toEqual([]);
  });

  it.for(TOOL_NAMES)('fills the name and every argument of the tool %s', async (tool) => {
    const listing = postJson(MCP_PATH, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { result } = (await (await respond(listing)).json()) as { result: { tools: readonly Definition[] } };
    const { inputSchema } = result.tools.find(({ name }) => name === tool)!;
    const names = namesOf(mcpFields(service).filter(({ where }) => where.endsWith(` of the tool ${tool}`)));
    const expected = Object.keys(inputSchema.properties).map((argument) => `params.arguments.${argument}`);
    expect(['params.name', ...expected].filter((name) => !names.has(name))).toEqual([]);
  });

  it('calls every tool with arguments that it takes', async () => {
    const calls = mcpFields(service).filter(({ where }) => / params\.name of the tool /.test(where));
    for (const field of calls) {
      const response = await respond(requestsWith(field, field.good!)[0]!);
      const text = await response.text();
      expect([field.good, response.status, text]).toEqual([field.good, 200, expect.not.stringContaining('has no parameter')]);
    }
    expect(calls.map(({ good }) => good)).toEqual(TOOL_NAMES);
  });

  it('fills every element of the address of the explorer, which its page reads', async () => {
    expect([...elementsInSource()].filter((name) => !namesOf(viewFields()).has(name))).toEqual([]);
    const field = viewFields().find(({ name }) => name === 'imageLayers')!;
    const responses = await Promise.all(requestsWith(field, '[10,1,100],').map(respond));
    const texts = await Promise.all(responses.map((response) => response.text()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const text of texts) expect(text).toContain('AIA 171');
  });

  it('puts the text where the field says', async () => {
    const text = { start: 'AR--', piece: '-', end: '\nx' };
    const sent = async (where: string) => {
      const request = fields.find((field) => field.where === where)!.requests[0]!(text, 5);
      return [request.url, await request.text()];
    };
    expect((await sent('GET /v2/getClosestImage/ date'))[0]).toContain('date=AR-------%0Ax');
    expect((await sent('key of /load/{key}'))[0]).toContain('/load/AR-------%0Ax?');
    expect((await sent('POST /v2/postMovie/ eventsState.tree_HEK.layers.0.event_instances.0'))[1]).toContain(
      '"event_instances":["AR-------\\nx"]',
    );
  });
});
