import { afterAll, describe, expect, it } from 'vitest';
import { startDemoEvents } from '../../../demo/events/server.ts';
import { operations } from '../../../src/faces/operations.ts';
import { DESCRIBED, type DescribedOperation, DOCUMENT, differences, resolved } from '../../support/described-responses.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { LAWLESS_SOURCE, MEASURING_OPERATIONS, requestableArchive, STATUSES } from '../../support/good-requests.ts';

/** After the events of the examples. */
const AFTER_MS = Date.UTC(2024, 5, 1);

/** The demo sources make a day of events when they are first asked for it, which takes long on a busy machine. */
const PATIENCE_MS = 100_000;

const described = [...DESCRIBED].map(([path, operation]) => ({ path, operation }));

const named = (schema: object, name: string): boolean =>
  Object.entries(schema).some(([key, value]) =>
    key === '$ref' ? value === `#/components/schemas/${name}` : typeof value === 'object' && value !== null && named(value, name),
  );

/** Paths of the lists in a part of the document that do not say what their items are. */
const untypedLists = (part: unknown, path: string): string[] =>
  typeof part !== 'object' || part === null
    ? []
    : [
        ...('type' in part && part.type === 'array' && !('items' in part) ? [path] : []),
        ...Object.entries(part).flatMap(([key, value]) => (key === 'example' ? [] : untypedLists(value, `${path}/${key}`))),
      ];

it('the OpenAPI document says of every list what its items are', () => {
  expect(untypedLists(DOCUMENT, '')).toEqual([]);
});

it('the OpenAPI document describes failures of each operation with the schema Error', () => {
  for (const { path, operation } of described) {
    for (const status of ['400', '429', '500', 'default']) expect(Object.keys(operation.responses), path).toContain(status);
    const failures = Object.entries(operation.responses).filter(([status]) => !/^[23]/.test(status));
    for (const [status, response] of failures) {
      const body = resolved(response).content?.['application/json'];
      const isEnvelope = operation.operationId.startsWith('getWebClientState') && status === '404';
      expect(named(body?.schema ?? {}, isEnvelope ? 'UnknownView' : 'Error'), `${path} ${status}`).toBe(true);
    }
  }
});

it('the OpenAPI document gives every whole JSON answer a schema with fields, and an example that matches it', () => {
  const answers = described.flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) => {
      const body = resolved(response).content?.['application/json'];
      return body ? [{ where: `${path} ${status}`, body }] : [];
    }),
  );
  for (const { where, body } of answers) {
    expect(Object.keys(body.schema), where).not.toEqual([]);
    expect(differences(body.schema, body.example), where).toBe('');
  }
  expect(answers.length).toBeGreaterThan(300);
});

it('the OpenAPI document gives every header an example, and names each only where it exists', () => {
  const names = Object.keys(DOCUMENT.components.headers);
  for (const header of Object.values(DOCUMENT.components.headers)) expect(String(header.example)).not.toBe('');
  const used = described.flatMap(({ operation }) => Object.values(operation.responses).map(resolved));
  expect(new Set(used.flatMap(({ headers = {} }) => Object.keys(headers)))).toEqual(new Set(names));
});

/** Checks that a parameter has an example that a request can have. */
function expectExamples(schema: object, where: string): void {
  const { examples = [] } = schema as { readonly examples?: readonly unknown[] };
  expect(examples, where).toEqual([expect.anything()]);
  expect(differences(schema, examples[0]), where).toBe('');
}

it('the OpenAPI document gives every text and JSON of a response an example', () => {
  const without = described.flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.entries(resolved(response).content ?? {})
        .filter(
          ([mediaType, { example }]) =>
            !/^((image|video)\/|application\/(fits|octet-stream)$)/.test(mediaType) && example === undefined,
        )
        .map(([mediaType]) => `${path} ${status} ${mediaType}`),
    ),
  );
  expect(without).toEqual([]);
});

it('the OpenAPI document gives every parameter an example that matches its schema', () => {
  for (const { path, operation } of described) {
    for (const { name, required, schema, example } of operation.parameters ?? []) {
      if (required) expect(example, `${path} ${name}`).toBeDefined();
      if (example !== undefined) expect(differences(schema, example), `${path} ${name}`).toBe('');
      expectExamples(schema, `${path} ${name}`);
    }
    for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
      expect(differences(schema, example), path).toBe('');
      const { properties } = schema as { readonly properties: Readonly<Record<string, object>> };
      for (const [name, property] of Object.entries(properties)) expectExamples(property, `${path} ${name}`);
    }
  }
});

it('the OpenAPI document shows each parameter of an example', () => {
  for (const { name, example, shapes } of operations.values()) {
    expect(Object.keys(shapes.v2!), name).toEqual(expect.arrayContaining(Object.keys(example)));
  }
});

const demo = await startDemoEvents();
const limits = { attemptMs: PATIENCE_MS, dayMs: PATIENCE_MS, responseBytes: 1 << 24 };
const { service: events, clock } = eventsApp(demo.url, { limits, days: { dayMs: PATIENCE_MS } });
clock.nowMs = AFTER_MS;
const archive = await requestableArchive({ events });

describe('the examples of the document', () => {
  afterAll(() => demo.stop());

  function requestOf({ path, operation }: { path: string; operation: DescribedOperation }): { url: string; init?: RequestInit } {
    const name = operation.operationId.replace(/V1$/, '');
    const known = operation.parameters?.map((parameter) => parameter.name);
    const example = Object.entries(archive.examples.get(name)!).filter(([key]) => known?.includes(key) ?? true);
    if (operation.requestBody) {
      const headers = { 'Content-Type': 'application/json' };
      return { url: path, init: { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(example)) } };
    }
    return { url: `${path}?${new URLSearchParams(example.map(([key, value]) => [key, String(value)]))}` };
  }

  // The helper of the archive compares every response with the document, in the order of the document.
  it.each(described)('$path answers as the document says', async (entry) => {
    const { url, init } = requestOf(entry);
    const response = await archive.get(url, init);
    const name = entry.operation.operationId.replace(/V1$/, '');
    const expected = { ...STATUSES, getEvent: 200 }[name] ?? 200;
    const { example } = resolved(entry.operation.responses[expected]!).content?.['application/json'] ?? {};
    if (response.status === 200 && response.headers.get('Content-Type')?.startsWith('application/json')) {
      const real: unknown = await response.clone().json();
      // Lists of videos are empty without a video host, and JPX files fail with status 200 without files.
      const isObject = typeof real === 'object' && real !== null && !Array.isArray(real);
      if (isObject && !('error' in real))
        expect(Object.keys(real), name).toEqual(expect.arrayContaining(Object.keys(example as object)));
    }
    expect([response.status, response.status < 400 ? '' : await response.text()]).toEqual([expected, expect.any(String)]);
  });

  it.each(MEASURING_OPERATIONS)('%s answers an image without a law as the document says', async (name) => {
    const query = new URLSearchParams({ ...archive.good[name], sourceId: LAWLESS_SOURCE });
    const { status, body } = await archive.json(`/v2/${name}/?${query}`);
    expect([status, body.error]).toEqual([422, expect.stringMatching(/^[A-Z].+\.$/)]);
  });

  it('show events, images and a finished movie', async () => {
    const json = async (path: string) => (await archive.json(path)).body;
    const path = (name: string) => `/v2/${name}/?${new URLSearchParams(archive.good[name])}`;
    expect(await json(path('getEvent'))).toMatchObject({ concept: 'Flare', fl_goescls: 'X2.1' });
    expect(await json(path('getMovieStatus'))).toMatchObject({ status: 2 });
    expect(await json(path('getClosestImage'))).toMatchObject({ date: '2024-05-10 12:00:00' });
  });
});
