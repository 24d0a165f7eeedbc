// Requests to the Worker, whose responses are compared with the OpenAPI document.
import { env, exports } from 'cloudflare:workers';
import { expect, inject } from 'vitest';
import { D1ImageIndex } from '../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../src/archive/image-index/d1-image-register.ts';
import { DurableIdSequences } from '../../src/archive/image-index/durable-id-sequences.ts';
import { databasesFrom } from '../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import type { ReportedResponse } from './description-server.ts';
import type { SampleFile } from './samples/provide-samples.ts';
import { samples as files } from './samples/sample-files.ts';

/** Responses of the API; other paths have no description. */
const API = /^\/+(?:v[12]\/*)?\w*\/*$/;

/**
 * The response of the Worker.
 * @throws Error when it differs from the document
 */
export async function fetchService(input: string | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { url, method } = request;
  const response = await exports.default.fetch(request);
  if (!API.test(new URL(url).pathname)) return response;
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  const body = response.body === null ? null : isJson ? await response.clone().text() : 'another body';
  const report: ReportedResponse = { url, method, status: response.status, headers: [...response.headers], body };
  const verdict = await fetch(inject('descriptionServer'), { method: 'POST', body: JSON.stringify(report) });
  const differences = await verdict.text();
  if (!verdict.ok) throw new Error(differences);
  return response;
}

export const send = (path: string, init: RequestInit = {}) => fetchService(new Request(`http://helioedge.test${path}`, init));

/** A request of the operator. */
export const sendAsAdmin = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  send(path, { ...init, headers: { ...init.headers, Authorization: 'Bearer a-token-for-tests-only' } });

export const decoded = ({ name, base64 }: SampleFile) => ({
  name,
  bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
});

/** The small samples: files of one source at 12:00 and 12:01. */
export const samples = files.map(decoded);

/** Uploads a file as an ingest does. @returns its image */
export async function ingest({ name, bytes }: { readonly name: string; readonly bytes: BodyInit }) {
  const response = await sendAsAdmin(`/admin/images/${name}`, { method: 'PUT', body: bytes });
  expect(response.status).toBe(201);
  return response.json<{ id: number; sourceId: number; date: string }>();
}

/** Uploads the file of 4096x4096 pixels. */
export async function ingestLarge() {
  const { name, url } = inject('largeSample');
  const bytes = await (await fetch(url)).arrayBuffer();
  return { ...(await ingest({ name, bytes })), bytes };
}

export const index = () => new D1ImageIndex(databasesFrom(env));
export const register = () =>
  new D1ImageRegister({
    databases: databasesFrom(env),
    ids: new DurableIdSequences({ namespace: env.ID_SEQUENCES, objects: new R2ObjectStore(env.ARCHIVE) }),
  });
