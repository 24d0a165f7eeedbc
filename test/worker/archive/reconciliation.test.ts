import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { minutes } from '../samples/sample-files.ts';
import { decoded, index, sendAsAdmin as send, send as visit } from '../service.ts';
import { reconcile as reconciled } from '../services.ts';

const files = minutes.map(decoded);

const put = ({ name, bytes }: (typeof files)[number]) => send(`/admin/images/${name}`, { method: 'PUT', body: bytes });

const reconcile = (mend: boolean) => reconciled(visit, mend);

const summary = (faults: Awaited<ReturnType<typeof reconcile>>) => faults.map(({ kind, mended }) => `${kind} ${mended}`).sort();

const keyOf = async ({ name }: { readonly name: string }) => (await index().byFileName(name))!.key;
const sidecar = (key: string, version: number) => `idx/${version}/${key.slice('jp2/'.length)}.idx`;

/** Plants two faults of each of five kinds. */
async function plant() {
  for (const file of files) expect((await put(file)).status).toBe(201);
  const keys = await Promise.all(files.map(keyOf));
  const [unindexed, missing, damaged, sound] = [0, 2, 4, 6].map((i) =>
    [0, 1].map((k) => ({ file: files[i + k]!, key: keys[i + k]! })),
  );
  for (const { key, file } of unindexed!) {
    await env.IMAGES.prepare('DELETE FROM images WHERE id = (SELECT id FROM images WHERE taken_at_ms = ?)')
      .bind((await index().byFileName(file.name))!.takenAtMs)
      .run();
    await env.ARCHIVE.delete(sidecar(key, 2));
  }
  for (const { key } of missing!) await env.ARCHIVE.delete(key);
  await env.ARCHIVE.put(damaged![0]!.key, damaged![0]!.file.bytes.subarray(0, 500));
  await env.ARCHIVE.put(
    damaged![1]!.key,
    damaged![1]!.file.bytes.map((byte, i) => (i === 700 ? byte ^ 1 : byte)),
  );
  for (const { key } of sound!) await env.ARCHIVE.put(sidecar(key, 1), 'old');
  for (const name of ['a', 'b']) await env.ARCHIVE.put(`idx/2/AIA/2024/05/10/171/${name}.jp2.idx`, 'stray');
  return { unindexed: unindexed!, missing: missing!, damaged: damaged!, sound: sound! };
}

let planted: Awaited<ReturnType<typeof plant>>;

beforeEach(async () => {
  planted = await plant();
});

it('a comparison of objects and rows finds all faults of six kinds and changes nothing, then mends them and finds no more', async () => {
  const found = await reconcile(false);
  // The rows that are gone have left a record and its mark each.
  const kinds = ['unindexed', 'missing', 'damaged', 'old-sidecar', 'stray-sidecar', 'stray-record', 'stray-record'];
  expect(summary(found)).toEqual(kinds.flatMap((kind) => [`${kind} null`, `${kind} null`]).sort());
  expect(summary(await reconcile(false)), 'the first comparison changed nothing').toEqual(summary(found));

  // Files whose rows are added again state their ids, so that their records are no longer those of other images.
  const mended = await reconcile(true);
  expect(summary(mended)).toEqual(
    ['damaged quarantined', 'missing withdrawn', 'old-sidecar deleted', 'stray-sidecar deleted', 'unindexed indexed'].flatMap(
      (text) => [text, text],
    ),
  );
  expect(await reconcile(false)).toEqual([]);

  for (const { file } of planted.unindexed) {
    expect((await send(`/admin/images/${file.name}`)).status, 'a file without a row is an image').toBe(200);
  }
  for (const { file } of [...planted.missing, ...planted.damaged]) {
    expect((await send(`/admin/images/${file.name}`)).status).toBe(404);
    expect((await put(file)).status, 'the archive takes the file again').toBe(201);
  }
  const [truncated] = planted.damaged;
  const path = truncated!.key.slice('jp2/'.length);
  const kept = await env.ARCHIVE.get(`quarantine/${path}`);
  expect(new Uint8Array(await kept!.arrayBuffer())).toEqual(truncated!.file.bytes.subarray(0, 500));
  const note = await env.ARCHIVE.get(`quarantine/${path}.json`);
  expect(await note!.json()).toMatchObject({
    reason: `The file has 500 bytes, but the index says ${truncated!.file.bytes.length}.`,
    bytes: 500,
  });
  const { entries } = (await (await send('/admin/audit')).json()) as { entries: { action: string; subject: string }[] };
  const mends = entries.filter(({ action }) => action === 'mend').map(({ subject }) => Number.parseInt(subject, 10));
  expect(mends.reduce((sum, count) => sum + count, 0)).toBe(10);
  expect(await reconcile(false)).toEqual([]);
});

it('a comparison of objects and rows puts a file into quarantine that has no row and is no image, and deletes that of a withdrawn image', async () => {
  await reconcile(true);
  const folder = planted.sound[0]!.key.slice(0, planted.sound[0]!.key.lastIndexOf('/'));
  await env.ARCHIVE.put(`${folder}/broken.jp2`, 'no image');
  await env.ARCHIVE.put(`${folder}/notes.txt`, 'left by hand');
  const withdrawn = planted.sound[1]!;
  await send(`/admin/images/${withdrawn.file.name}`, { method: 'DELETE' });
  await env.ARCHIVE.put(withdrawn.key, withdrawn.file.bytes);
  // The sweep has repeated the removal, and no longer counts the file as one that is being removed.
  await env.OPERATIONS.prepare('DELETE FROM uploads').run();
  const faults = await reconcile(true);
  expect(summary(faults)).toEqual(['damaged quarantined', 'unindexed deleted', 'unindexed null']);
  expect(faults.find(({ mended }) => mended === null)).toMatchObject({ path: expect.stringMatching(/notes\.txt$/) });
  expect(await env.ARCHIVE.head(withdrawn.key)).toBeNull();
  expect(await env.ARCHIVE.head(`${folder}/notes.txt`), 'a file of another kind is left alone').not.toBeNull();

  // Bodies that are no place.
  for (const body of ['{}', '{"cursor":{"walk":"all","after":""},"mend":true}', 'mend']) {
    const response = await send('/admin/reconciliation', { method: 'POST', body });
    expect(response.status, body).toBe(400);
  }
  expect(await (await send('/admin/reconciliation')).json()).toBeNull();
});
