// The tile operation end to end in workerd, over HTTP on this machine: what each cache saves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalService } from '../../src/cli/local/local-service.ts';
import { applyMigrations } from '../../src/cli/local/migrations.ts';
import { freePort } from '../support/commands.ts';
import { atMinute, type LargeImage, largeImages } from './images.ts';
import { median } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

/** Images of each kind: every one is seen cold only once. */
const IMAGES = 10;
const TOKEN = 'token-of-the-tile-bench';
/** The finest scale that clients ask for: full resolution of a 4096 image. */
const FINE_SCALE = 0.60511022;
/** Coarse enough to be drawn without the base image. */
const COARSE_SCALE = FINE_SCALE * 32;

interface Timed {
  readonly total: number;
  readonly stages: ReadonlyMap<string, number>;
}

async function getTile(url: string, id: number, x: number, y: number, imageScale: number): Promise<Timed> {
  const from = performance.now();
  const answer = await fetch(`${url}/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${imageScale}`);
  await answer.arrayBuffer();
  const total = performance.now() - from;
  if (!answer.ok) throw new Error(`Expected a tile, got ${answer.status}.`);
  const stages = [...(answer.headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)];
  return { total, stages: new Map(stages.map(([, stage = '', ms]) => [stage, Number(ms)])) };
}

async function ingestCopies(url: string, image: LargeImage, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const { fileName, file } = atMinute(image, i);
    const answer = await fetch(`${url}/admin/images/${fileName}`, {
      method: 'PUT',
      body: file as Uint8Array<ArrayBuffer>,
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    if (!answer.ok) throw new Error(`Expected the image to be taken in, got ${answer.status} ${await answer.text()}.`);
    ids.push(((await answer.json()) as { id: number }).id);
  }
  return ids;
}

function summary(name: string, times: readonly Timed[]): BenchResult[] {
  const of = (stage: string): number => median(times.map(({ stages }) => stages.get(stage) ?? 0));
  const total = { case: name, metric: 'request', unit: 'ms', value: median(times.map((t) => t.total)) };
  const stages = ['index', 'read', 'decode', 'colour', 'encode'].filter((stage) => of(stage) > 0);
  return [total, ...stages.map((stage) => ({ case: name, metric: stage, unit: 'ms', value: of(stage) }))];
}

async function measure(url: string, image: LargeImage): Promise<BenchResult[]> {
  const ids = await ingestCopies(url, image, 2 * IMAGES + 1);
  const times = { cold: [] as Timed[], plane: [] as Timed[], warm: [] as Timed[], sidecar: [] as Timed[] };
  const [first, ...rest] = ids as [number, ...number[]];
  // The compiled code is warm in a Worker that serves: one image that does not count.
  for (const y of [-1, 0]) await getTile(url, first, 0, y, FINE_SCALE);
  for (let i = 0; i < IMAGES; i++) {
    const [a, b] = [rest[2 * i] as number, rest[2 * i + 1] as number];
    times.cold.push(await getTile(url, a, 0, 0, FINE_SCALE));
    times.plane.push(await getTile(url, a, 0, -1, FINE_SCALE));
    times.warm.push(await getTile(url, a, 0, 0, FINE_SCALE));
    await getTile(url, b, 0, 0, COARSE_SCALE);
    times.sidecar.push(await getTile(url, b, 0, 0, FINE_SCALE));
  }
  return [
    ...summary(`${image.name} tile, cold`, times.cold),
    ...summary(`${image.name} tile, sidecar cached`, times.sidecar),
    ...summary(`${image.name} tile, base image cached`, times.plane),
    ...summary(`${image.name} tile, in the edge cache`, times.warm),
  ];
}

export const bench: Bench = {
  async run(log) {
    const stateDir = mkdtempSync(join(tmpdir(), 'helioedge-bench-'));
    await applyMigrations(stateDir, log);
    const service = await startLocalService({ port: await freePort(), stateDir, secrets: { ADMIN_TOKEN: TOKEN } });
    try {
      const results: BenchResult[] = [];
      for (const image of await largeImages(log)) results.push(...(await measure(service.url, image)));
      return results;
    } finally {
      await service.stop();
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
};
