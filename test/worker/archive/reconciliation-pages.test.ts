// Pages of a comparison of objects and rows: those of R2 may be shorter than asked for, and mending is bounded by the calls of an invocation.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { recordKey } from '../../../src/archive/image-index/cached-image-index.ts';
import type { ReconciledStep } from '../../../src/operator/reconciliation/reconcile.ts';
import type { ArchivedImage, NewImage } from '../../../src/sun/image.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { countedBindings, noCalls } from '../counted-bindings.ts';
import { register } from '../service.ts';
import { isolate, reconciled } from '../services.ts';

const NOON = Date.UTC(2021, 5, 1, 12);
/** Calls of R2 and D1 of a step: half of those that wrangler.toml allows an invocation. */
const CALLS = 1000;
/** Objects of a page of R2, which ends when its metadata takes too much room. */
const PAGE = 7;

/** R2 with short pages: `truncated` says that there are more. */
const withShortPages = (bucket: R2Bucket) =>
  new Proxy(bucket, {
    get(target, name) {
      if (name === 'list') return (options: R2ListOptions) => target.list({ ...options, limit: Math.min(options.limit!, PAGE) });
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

/** A service that counts the calls of each step. */
function service(bucket = env.ARCHIVE) {
  const cost = noCalls();
  const { send } = isolate(countedBindings({ ...env, ARCHIVE: bucket }, cost), async () => {
    cost.calls += 1;
    return true;
  });
  /** Steps from a place to the end. */
  return (mend: boolean, from: unknown = null) =>
    Array.fromAsync(reconciled(send, mend, from), (step) => {
      const { calls } = cost;
      cost.calls = 0;
      return { ...step, calls };
    });
}

const faultsOf = (steps: readonly ReconciledStep[]) => steps.flatMap(({ faults }) => faults);
const tally = (steps: readonly ReconciledStep[]) => {
  const kinds = faultsOf(steps).map(({ kind, mended }) => `${kind} ${mended}`);
  return Object.fromEntries([...Map.groupBy(kinds, (text) => text)].map(([text, same]) => [text, same.length]));
};

/** Images of source 10, a minute apart, whose files are not written. */
async function addImages(count: number): Promise<ArchivedImage[]> {
  const images: NewImage[] = Array.from({ length: count }, (_, i) => makeImage(10, NOON + i * 60_000));
  return (await register().addAll(images)).map((result) => ('image' in result ? result.image : expect.fail(result.outcome)));
}

it('a comparison of objects and rows reads all objects where R2 lists fewer of them than it is asked for', async () => {
  for (let i = 0; i < 3 * PAGE + 2; i += 1) await env.ARCHIVE.put(`jp2/notes/file-${10 + i}.txt`, 'no image');
  const steps = await service(withShortPages(env.ARCHIVE))(false);
  expect(tally(steps)).toEqual({ 'unindexed null': 3 * PAGE + 2 });
  expect(steps.reduce((sum, { examined }) => sum + examined, 0)).toBe(3 * PAGE + 2);
});

it.each(['damaged', 'missing'] as const)(
  'a comparison of objects and rows mends 100 images of which every file is %s within the calls of an invocation',
  async (kind) => {
    const images = await addImages(100);
    if (kind === 'damaged') for (const { key } of images) await env.ARCHIVE.put(key, 'cut off');
    const steps = await service()(true);
    expect(tally(steps)).toEqual({ [`${kind} ${kind === 'damaged' ? 'quarantined' : 'withdrawn'}`]: 100 });
    expect(Math.max(...steps.map(({ calls }) => calls))).toBeLessThan(CALLS);
    expect(tally(await service()(true))).toEqual({});
  },
);

it('States the ids of images whose files state none, without being asked to mend, once.', async () => {
  const images = await addImages(30);
  for (const { key } of images) await env.ARCHIVE.put(key, 'x');
  await env.IMAGES.prepare(
    "UPDATE images SET byte_length = 1, sha256 = x'2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'",
  ).run();
  const stated = async () => (await service()(false)).reduce((sum, step) => sum + step.stated, 0);
  expect([await stated(), await stated()]).toEqual([30, 0]);
  const [list] = (await env.ARCHIVE.list({ prefix: 'ids/of/' })).objects;
  const ids = (await (await env.ARCHIVE.get(list!.key))!.json()) as Record<string, [number, string]>;
  expect(Object.entries(ids).map(([name, [id]]) => [name, id])).toEqual(images.map(({ fileName, id }) => [fileName, id]));
});

it('Records of images disappear when they have no row, or an older version.', async () => {
  const [image] = (await addImages(1)) as [ArchivedImage];
  await env.ARCHIVE.put(image.key, 'x');
  const content = image.sha256.slice(0, 32);
  const right = [recordKey(image.id), `facts/2/of/${content}/${image.id}`];
  const stray = [recordKey(image.id + 160), `facts/2/of/${content}/${image.id + 160}`, `facts/1/${image.id}.json`, 'facts/note'];
  for (const key of [...right, ...stray]) await env.ARCHIVE.put(key, '{}');
  const steps = await service()(true, { walk: 'records', after: '' });
  expect(faultsOf(steps).map(({ kind, path, mended }) => [kind, path, mended])).toEqual(
    stray.toSorted().map((path) => ['stray-record', path, 'deleted']),
  );
  const { objects } = await env.ARCHIVE.list({ prefix: 'facts/' });
  expect(objects.map(({ key }) => key)).toEqual(right);
});
