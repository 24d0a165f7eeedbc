// The Model Context Protocol at /mcp: a conversation of each revision, and what it refuses.
import { expect, it } from 'vitest';
import { TOOL_NAMES } from '../../../src/faces/mcp/tools.ts';
import { operations } from '../../../src/faces/operations.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { testArchive } from '../../support/test-archive.ts';

type Headers = Record<string, string>;
const STATELESS = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

const archive = await requestableArchive();

async function post(body: unknown, headers: Headers = {}, app = archive.app) {
  const response = await app.request('http://sun.test/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, ...(text === '' ? {} : JSON.parse(text)) };
}

/** A request of the revision without a handshake. */
const ask = (method: string, params: Record<string, unknown> = {}, headers: Headers = {}) =>
  post(
    { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: META } },
    {
      'MCP-Protocol-Version': STATELESS,
      'Mcp-Method': method,
      ...('name' in params ? { 'Mcp-Name': String(params.name) } : {}),
      ...headers,
    },
  );

const call = async (name: string, given: Record<string, unknown> = {}) =>
  (await ask('tools/call', { name, arguments: given })).result;
const textOf = async (name: string, given?: Record<string, unknown>) => (await call(name, given)).content[0].text;

it('a conversation discovers the service and its tools, whose schemas are those of the operations', async () => {
  const discovered = await ask('server/discover');
  expect(discovered).toMatchObject({ status: 200, id: 7, result: { resultType: 'complete', cacheScope: 'public' } });
  expect(discovered.result.supportedVersions).toContain(STATELESS);
  const { tools } = (await ask('tools/list')).result;
  for (const { name, inputSchema, annotations } of tools) {
    const shape = operations.get(name)!.shapes.v2!;
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(Object.keys(inputSchema.properties)));
    const required = Object.keys(inputSchema.properties).filter((parameter) => !shape[parameter]?.isOptional());
    expect(inputSchema.required.toSorted()).toEqual(required.toSorted());
    expect(annotations.readOnlyHint).toBe(name !== 'queueMovie');
  }
  expect(tools.find(({ name }: { name: string }) => name === 'getClosestImage')?.inputSchema).toMatchObject({
    type: 'object',
    properties: { sourceId: { type: 'integer', minimum: 0 }, date: { type: 'string', format: 'date-time' } },
    required: ['date', 'sourceId'],
    additionalProperties: false,
  });
});

it('a conversation finds an image, looks at it, and reads its header and a value', async () => {
  expect(JSON.parse(await textOf('getDataSources')).SDO.AIA['171'].sourceId).toBe(10);
  const image = JSON.parse(await textOf('getClosestImage', { sourceId: 10, date: '2024-05-10T12:00:00Z' }));
  expect(image).toMatchObject({ name: 'AIA 171', date: '2024-05-10 12:00:00' });
  const [picture, facts] = (await call('downloadImage', { id: image.id })).content;
  expect(picture).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
  expect(facts?.text).toContain(`/v2/downloadImage/?id=${image.id}&type=jpg&width=512\nX-Image-Date: 2024-05-10T12:00:00`);
  expect(JSON.parse(await textOf('getImageHeader', { id: image.id }))).toHaveProperty('fits');
  const place = { date: '2024-05-10T12:00:00Z', sourceId: 10, x: 100, y: 200 };
  const { value, unit } = JSON.parse(await textOf('getValue', place));
  expect([value > 0, unit]).toEqual([true, 'DN/s']);
  const { byte, ...level } = JSON.parse(await textOf('getValue', { ...place, raw: true }));
  expect(level).toMatchObject({ value: byte, unit: 'level', law: null });
  expect(JSON.parse(await textOf('getDataGaps', { sourceId: 10 }))).toHaveProperty('gaps');
  expect(JSON.parse(await textOf('events', { startTime: '2024-05-10T07:00:00Z' }))).toEqual([]);
});

it('a conversation makes a screenshot and a movie', async () => {
  const scene = { layers: '[10,1,100]', imageScale: 4.84, x0: 0, y0: 0 };
  const lists = { ...scene, layers: [[10, 1, 100]] };
  const [picture, facts] = (await call('takeScreenshot', { date: '2024-05-10T12:00:00Z', ...lists, width: 64 })).content;
  expect(picture).toMatchObject({ type: 'image', mimeType: 'image/png' });
  expect(facts?.text).toContain('width=64&height=512&display=true');
  expect(new URL(facts!.text.split('\n')[0]!).searchParams.get('layers')).toBe('[10,1,100]');
  const { id } = JSON.parse(
    await textOf('queueMovie', { startTime: '2024-05-10T00:00:00Z', endTime: '2024-05-11T00:00:00Z', ...scene }),
  );
  expect(JSON.parse(await textOf('getMovieStatus', { id }))).toMatchObject({ status: 0, statusLabel: 'Queued' });
});

it('a conversation begins with a handshake in earlier revisions', async () => {
  const begin = (protocolVersion: string) =>
    post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion, capabilities: {} } });
  expect((await begin('2025-06-18')).result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'helioedge' } });
  expect((await begin('2024-11-05')).result.protocolVersion).toBe('2025-11-25');
  const headers = { 'MCP-Protocol-Version': '2025-06-18' };
  const started = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  expect([started.status, started.id]).toEqual([202, undefined]);
  expect(await post({ jsonrpc: '2.0', id: 'a', method: 'ping' }, headers)).toMatchObject({ status: 200, id: 'a', result: {} });
  expect((await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).result.tools).toHaveLength(TOOL_NAMES.length);
  expect(await post({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }, headers)).toMatchObject({
    status: 200,
    error: { code: -32601 },
  });
});

it.each([
  ['getClosestImage', { sourceId: 10, date: 'noon' }, 'Expected a UTC date like 2024-01-31T12:00:00Z for date, got noon.'],
  ['getClosestImage', { sourceId: 10 }, 'for date, got nothing.'],
  ['getClosestImage', { sourceID: 10, date: '2024-05-10' }, 'Did you mean sourceId?'],
  ['getClosestImage', { sourceId: { id: 10 }, date: '2024-05-10' }, 'for sourceId, got an object.'],
  ['downloadImage', { id: 999_999 }, 'No image has the id 999999.'],
  ['downloadImage', { id: 26, filter: 'rehf' }, 'Expected mgn, nrgf, rhef, or rhef:0.7,0.4'],
  ['downloadImage', { id: 26, width: 4096 }, 'This tool has no parameter width. It has id, steady, filter, range, tint, colour.'],
  [
    'takeScreenshot',
    { date: '2024-05-10', layers: '[10,1,100]', imageScale: 4, width: 4096 },
    'from 1 to 1024 for width, got 4096.',
  ],
  ['queueMovie', { startTime: '1990-01-01', endTime: '1990-01-02', layers: '[10,1,100]', imageScale: 4, x0: 0, y0: 0 }, 'images'],
])('a tool: %s says what is wrong with %j', async (name, given, sentence) => {
  const { content, isError } = await call(name, given);
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain(sentence);
});

it('a tool comes from the cache of the API, and counts as one request', async () => {
  const counts: string[] = [];
  const requestLimiter = { limit: async ({ key }: { key: string }) => ({ success: counts.push(key) < 3 }) };
  const { app, cachedKeys } = testArchive({ requestLimiter });
  const find = { name: 'getClosestImage', arguments: { sourceId: 10, date: '2024-01-01T00:00:00Z' } };
  const headers = { 'CF-Connecting-IP': '192.0.2.7', 'MCP-Protocol-Version': '2025-11-25' };
  const once = () => post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: find }, headers, app as typeof archive.app);
  const first = await once();
  expect(cachedKeys()).toEqual(['/getClosestImage?date=1704067200000&sourceId=10']);
  expect((await once()).result).toEqual(first.result);
  expect(counts).toEqual(['192.0.2.7']);
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

it.each([
  ['text that is not JSON', '{', {}, 400, -32700],
  ['several messages', [ping], {}, 400, -32600],
  ['another version of JSON-RPC', { ...ping, jsonrpc: '1.0' }, {}, 400, -32600],
  ['an id that is null', { ...ping, id: null }, {}, 400, -32600],
  ['a method that is no name', { ...ping, method: 1 }, {}, 400, -32600],
  ['parameters in a list', { ...ping, params: [] }, {}, 400, -32602],
  ['another type', ping, { 'Content-Type': 'text/plain' }, 415, 25],
  ['a revision that it does not have', ping, { 'MCP-Protocol-Version': '1900-01-01' }, 400, -32022],
  ['a message without its revision', ping, { 'MCP-Protocol-Version': STATELESS }, 400, -32602],
  ['a page of another site', ping, { Origin: 'http://evil.test' }, 403, 50],
  ['a page of a name that leads here', ping, { Origin: 'http://sun.test' }, 403, 50],
  ['a page without an origin', ping, { Origin: 'null' }, 403, 50],
])('the address refuses %s', async (_, body, headers, status, code) => {
  const { error, ...answer } = await post(body, headers as unknown as Headers);
  expect([answer.status, error?.code]).toEqual([status, code]);
  expect(error?.message).toMatch(/^[A-Z].*\.$/);
});

it('the address refuses headers that differ from the message', async () => {
  const name = { name: 'getDataSources' };
  for (const headers of [{ 'Mcp-Name': 'other' }, { 'Mcp-Method': 'tools/list' }, { 'MCP-Protocol-Version': '2025-11-25' }]) {
    expect(await ask('tools/call', name, headers)).toMatchObject({ status: 400, id: 7, error: { code: -32020 } });
  }
  expect((await ask('tools/call', name, { 'Mcp-Name': `=?base64?${btoa(name.name)}?=` })).status).toBe(200);
});

it('the address serves no other methods, tools or streams', async () => {
  expect(await ask('ping')).toMatchObject({ status: 404, error: { code: -32601 } });
  expect(await ask('tools/call', { name: 'getTile' })).toMatchObject({ status: 400, error: { code: -32602 } });
  const response = await archive.app.request('http://sun.test/mcp/', { headers: { Accept: 'text/event-stream' } });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
});

it('the address serves pages of this machine, and passes on a limit', async () => {
  expect((await post(ping, { Origin: 'http://localhost:6274' })).status).toBe(200);
  const { headers, status, error } = await post({ ...ping, params: { text: 'x'.repeat(1 << 20) } });
  expect([status, error?.code, headers.get('X-Content-Type-Options')]).toEqual([413, 25, 'nosniff']);
});
