// The local service with an empty archive, for benches over HTTP.
import { startLocalService } from '../../src/cli/local/local-service.ts';
import { applyMigrations } from '../../src/cli/local/migrations.ts';
import { freePort } from '../support/commands.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { atMinute, type LargeImage } from './images.ts';
import { median } from './measure.ts';
import type { Run } from './run.ts';

export const ADMIN_TOKEN = 'token-of-the-benches';

export type StartService = () => ReturnType<typeof startLocalService>;

/** Runs `work`, which may start the service several times on the same state. */
export async function withState<T>(
  log: (line: string) => void,
  work: (start: StartService, stateDir: string) => Promise<T>,
  vars: Readonly<Record<string, string>> = {},
): Promise<T> {
  return inFolder(async (stateDir) => {
    await applyMigrations(stateDir, log);
    return await work(
      async () => startLocalService({ port: await freePort(), stateDir, secrets: { ADMIN_TOKEN }, vars }),
      stateDir,
    );
  });
}

/** Starts the service, runs `work` with its address, and stops it. */
export async function whileRunning<T>(start: StartService, work: (url: string) => Promise<T>): Promise<T> {
  const service = await start();
  try {
    return await work(service.url);
  } finally {
    await service.stop();
  }
}

/** Runs `work` with the address of a service on a state of its own. */
export function withService<T>(log: (line: string) => void, work: (url: string) => Promise<T>): Promise<T> {
  return withState(log, (start) => whileRunning(start, work));
}

/** Ingests an image; its id. */
export async function ingest(url: string, fileName: string, file: Uint8Array): Promise<number> {
  const response = await fetch(`${url}/admin/images/${fileName}`, {
    method: 'PUT',
    body: file as Uint8Array<ArrayBuffer>,
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  if (!response.ok) throw new Error(`Expected the image to be ingested, got ${response.status} ${await response.text()}.`);
  return ((await response.json()) as { id: number }).id;
}

/** Ingests copies of an image, one a minute from minute `from` on; their ids. */
export async function ingestCopies(url: string, image: LargeImage, count: number, from = 0): Promise<number[]> {
  const ids: number[] = [];
  for (let minute = from; minute < from + count; minute++) {
    const { fileName, file } = atMinute(image, minute);
    ids.push(await ingest(url, fileName, file));
  }
  return ids;
}

/** Number of the datasource of an image. */
export async function sourceOf(url: string, fileName: string): Promise<number> {
  const image = await fetch(`${url}/admin/images/${fileName}`, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } });
  return ((await image.json()) as { sourceId: number }).sourceId;
}

/** Makes all parts of the coefficient sidecars of a period of a source. */
export async function makeSidecars(url: string, sourceId: number, from: string, to: string): Promise<void> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  for (let next: string | null = from; next !== null; ) {
    const response: Response = await fetch(`${url}/admin/coefficients`, {
      method: 'POST',
      body: JSON.stringify({ sourceId, from: next, to, parts: ['A', 'B', 'C'], renew: false }),
      headers,
    });
    if (!response.ok) throw new Error(`Expected sidecars to be made, got ${response.status} ${await response.text()}.`);
    next = ((await response.json()) as { next: string | null }).next;
  }
}

/** A request, with the stages of its Server-Timing header in milliseconds. */
export interface TimedRequest {
  readonly totalMs: number;
  readonly bytes: number;
  readonly stagesMs: ReadonlyMap<string, number>;
}

/** @throws Error for a response that is not successful */
export async function timedRequest(url: string, init?: RequestInit): Promise<TimedRequest> {
  const from = performance.now();
  const response = await fetch(url, init);
  const body = await response.arrayBuffer();
  const totalMs = performance.now() - from;
  if (!response.ok)
    throw new Error(`Expected a picture, got ${response.status} ${new TextDecoder().decode(body).slice(0, 200)}.`);
  const stages = [...(response.headers.get('Server-Timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)];
  return { totalMs, bytes: body.byteLength, stagesMs: new Map(stages.map(([, stage = '', ms]) => [stage, Number(ms)])) };
}

/** Adds medians in milliseconds of the total and of the given stages, as far as they take time. `goalMs`: of the total. */
export function addStages(
  { add }: Run,
  name: string,
  times: readonly TimedRequest[],
  stages: readonly string[],
  goalMs?: number,
): void {
  add(name, 'request', 'ms', median(times.map(({ totalMs }) => totalMs)), goalMs);
  for (const stage of stages) {
    const ms = median(times.map(({ stagesMs }) => stagesMs.get(stage) ?? 0));
    if (ms > 0) add(name, stage, 'ms', ms);
  }
}
