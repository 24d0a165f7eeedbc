// Every statement of the adapters, except for those of the movie queue (test/unit/movie-queue/query-plans.test.ts).
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { D1UploadJournal } from '../../../src/archive/image-index/d1-upload-journal.ts';
import { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { D1AuditLog } from '../../../src/operator/d1-audit-log.ts';
import { D1MirrorState } from '../../../src/operator/mirror/d1-mirror-state.ts';
import { D1StatusRegister } from '../../../src/operator/status/d1-status-register.ts';
import { D1Charges } from '../../../src/platform/admission/d1-charges.ts';
import { BUDGETS } from '../../../src/platform/limits/admission.ts';
import type { Databases } from '../../../src/platform/storage/databases.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { D1ClientStates } from '../../../src/sharing/d1-client-states.ts';
import { D1Links } from '../../../src/sharing/d1-links.ts';
import { D1Screenshots } from '../../../src/sharing/d1-screenshots.ts';
import { D1SharingSessions } from '../../../src/sharing/videos/d1-sharing-sessions.ts';
import { D1VideoShares } from '../../../src/sharing/videos/d1-video-shares.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { recorded, scansIn } from '../../support/memory/recorded-statements.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';
import { FACTS } from '../../support/sharing/sharing-service.ts';

const NOW = Date.UTC(2024, 4, 10, 12);
const DETAILS = { title: 'a', description: '', tags: [], isShared: true };

/** Tables of which a statement may read every row: sixteen rows, and the uploads that are in progress or were interrupted. */
const SMALL = ['held_shards', 'uploads'];

/** The adapter, and the names of its methods that have not been called. */
function watched<Adapter extends object>(adapter: Adapter): { readonly adapter: Adapter; readonly uncalled: () => string[] } {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(adapter)).filter((name) => name !== 'constructor');
  const called = new Set<string | symbol>();
  const proxy = new Proxy(adapter, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      called.add(name);
      return value.bind(target);
    },
  });
  return { adapter: proxy, uncalled: () => names.filter((name) => !called.has(name)) };
}

async function useIndex(index: D1ImageIndex, ids: readonly number[], fileName: string): Promise<void> {
  for (const sourceId of [10, 10_001]) {
    await index.neighbours(sourceId, NOW);
    await index.adjacentTimes(sourceId, NOW);
    await index.ends(sourceId, NOW, NOW + 1);
    await index.inRange(sourceId, NOW, NOW + 1, 10);
    await index.listed(sourceId, { afterMs: NOW, toMs: NOW + 1 }, 10);
    await index.countInRange(sourceId, NOW, NOW + 1, 10);
    await index.heldDays(sourceId, { fromMs: 0, toMs: NOW }, 10);
    await index.gaps(sourceId, { fromMs: NOW - DAY_MS, toMs: NOW + DAY_MS, widthMs: HOUR_MS, longerMs: HOUR_MS }, 10);
    await index.counts([sourceId], [[NOW, NOW + HOUR_MS]], HOUR_MS);
    await index.neighboursOfTimes(sourceId, [NOW, NOW + 1]);
  }
  await index.byId(ids[0]!);
  await index.byIds(ids);
  await index.withdrawn(ids);
  await index.extents();
  for (const name of [fileName, 'iris_1330A_20240415_060002.jp2']) {
    await index.byFileName(name);
    await index.withdrawnByFileName(name);
  }
}

it('Every statement of the image index searches an index.', async () => {
  const { texts, recording } = recorded(migrated('images'));
  await recording.exec(claimStatement(SHARDS));
  const databases: Databases = {
    main: migrated(),
    operations: migrated('operations'),
    images: [recording],
    ofShard: () => recording,
  };
  const index = watched(new D1ImageIndex(databases));
  const register = watched(new D1ImageRegister({ databases, ids: new MemoryIdSequences() }));

  const image = makeImage(10, NOW, { fileName: '2024_05_10__12_00_00_000__SDO_AIA_AIA_171.jp2' });
  const added = (await register.adapter.add(image)).image;
  await register.adapter.add(makeImage(10, NOW + 1), null, await register.adapter.reserve(image));
  await register.adapter.add({ ...image, sha256: 'cd'.repeat(32) }, { id: added.id, atMs: NOW });
  await register.adapter.withdraw({ id: added.id + 16, atMs: NOW });
  await useIndex(index.adapter, [added.id, added.id + 16, added.id + 32], image.fileName);
  const indexed = [makeImage(10, NOW + 2), makeImage(11, NOW, { fileName: 'iris_1330A_20240415_060002.jp2' })];
  await register.adapter.addAll(indexed);
  await register.adapter.lookUp(indexed.map(({ fileName }) => fileName));
  await register.adapter.known([image.fileName]);

  expect([index, register].map(({ uncalled }) => uncalled())).toEqual([[], []]);
  expect(texts.size).toBeGreaterThan(27);
  expect(await scansIn(migrated('images'), texts, SMALL)).toEqual([]);
});

it('Every statement of screenshots, JPX files, uploads, links, sharing, flares and the audit log searches an index.', async () => {
  const { texts, recording } = recorded(migrated());
  const operators = recorded(migrated('operations'));
  const databases = { main: recording, operations: operators.recording };
  const clock = () => NOW;
  const charges = watched(new D1Charges(databases));
  const charge = { budget: 'links', clients: ['a', 'b'], hour: 1, amount: 1 };
  await charges.adapter.charge(charge, BUDGETS.links);
  await charges.adapter.charge({ ...charge, amount: 1e9 }, BUDGETS.links);
  await charges.adapter.refund(charge);
  const screenshots = watched(new D1Screenshots(databases));
  const journal = watched(new D1UploadJournal(databases, clock));
  const links = watched(new D1Links(databases));
  const states = watched(new D1ClientStates(databases));
  const audit = watched(new D1AuditLog(databases));
  const sessions = watched(new D1SharingSessions(databases));
  const shares = watched(new D1VideoShares(databases));
  const flares = watched(new D1RhessiFlares(databases));

  await screenshots.adapter.add({ createdAtMs: NOW, recipe: '{}', images: [] });
  await screenshots.adapter.find(1);
  await screenshots.adapter.expire(NOW);
  await journal.adapter.begin({ key: 'jp2/a.jp2', fileName: 'a.jp2' });
  await journal.adapter.leave({ key: 'jp2/a.jp2', fileName: 'a.jp2' });
  await journal.adapter.renew('jp2/a.jp2');
  await journal.adapter.take('jp2/a.jp2', NOW);
  await journal.adapter.recorded(['jp2/a.jp2']);
  await journal.adapter.takeAbandoned(10);
  await journal.adapter.hasMoreThan(10);
  await journal.adapter.leaveFolders(['jp2/a.jp2']);
  await journal.adapter.endOfEarlierDay('jp2/a.jp2');
  await journal.adapter.unpurged(10);
  await journal.adapter.markPurged('jp2/a.jp2');
  await journal.adapter.end('jp2/a.jp2');
  await links.adapter.add('key', 'https://sun.test/', NOW);
  await links.adapter.use('key', NOW);
  await links.adapter.expire(NOW);
  await audit.adapter.add({ atMs: NOW, operator: 'admin', action: 'ingest', subject: 'a.jp2', imageId: 1 });
  await audit.adapter.list({ before: 9, limit: 1 });
  await audit.adapter.sweep(NOW, 1);
  await states.adapter.register('a'.repeat(64), NOW, 1);
  await states.adapter.use('a'.repeat(64), NOW);
  await states.adapter.unused(NOW);
  await states.adapter.delete(['a'.repeat(64)], NOW);
  const session = { hash: 'a', expiresAtMs: NOW + 1, sealedGrant: null };
  await sessions.adapter.create(session);
  await sessions.adapter.find('a', NOW);
  await sessions.adapter.keepGrant('a', 'grant', NOW + 2);
  await sessions.adapter.dropGrant('a');
  await sessions.adapter.addAuthorisation({
    stateHash: 's',
    session: 'a',
    movieId: 'm',
    details: DETAILS,
    sealedVerifier: 'v',
    expiresAtMs: NOW + 1,
  });
  await sessions.adapter.takeAuthorisation('s', 'a', NOW);
  await sessions.adapter.expire(NOW);
  await shares.adapter.begin({ movieId: 'm', session: 'a', sealedGrant: 'g', details: DETAILS, facts: FACTS }, NOW);
  const { lease } = (await shares.adapter.claim(NOW, 10))!;
  await shares.adapter.recordStart('m', lease, { sealedAddress: 'a', fileKey: 'k', fileSize: 5 });
  await shares.adapter.progress('m', lease, 1, NOW);
  await shares.adapter.setGrant('m', lease, 'g');
  await shares.adapter.retry('m', lease, NOW, null);
  await shares.adapter.fail('m', lease, 'broken');
  await shares.adapter.finish('m', lease, 'v', NOW);
  await shares.adapter.find('m');
  await shares.adapter.listed({ sinceMs: 0, limit: 10 });
  await shares.adapter.listed({ atMs: NOW, limit: 10 });
  await shares.adapter.listed({ atMs: NOW, order: 'startMs', limit: 10 });
  await shares.adapter.dueForCheck(NOW, 0, 10);
  await shares.adapter.checked('m', 'v', true, NOW);
  const numbers = { id: 1, startMs: NOW, peakMs: NOW, endMs: NOW, peakRate: 1, totalCounts: 1, xArcsec: 0, yArcsec: 0 };
  await flares.adapter.add([{ ...numbers, highBand: '', dsun: '', ntime: '', nen: '', link: '' }]);
  await flares.adapter.between(NOW, NOW + 1, 10);

  const adapters = [charges, screenshots, journal, links, audit, states, sessions, shares, flares];
  expect(adapters.flatMap(({ uncalled }) => uncalled())).toEqual(['count']);
  expect(texts.size + operators.texts.size).toBeGreaterThan(25);
  expect(await scansIn(migrated(), texts, SMALL)).toEqual([]);
  // Reads the oldest rows only, in the order of the key.
  expect(await scansIn(migrated('operations'), operators.texts, SMALL)).toEqual([
    expect.stringMatching(/^SCAN audit_entries: .* order by .*"id" limit \?/),
  ]);
});

it('Every statement of the status and the mirror searches an index, but for tables of a few rows.', async () => {
  const { texts, recording } = recorded(migrated('operations'));
  const visitors = recorded(migrated());
  const databases = { main: visitors.recording, operations: recording };
  const clock = { nowMs: NOW };
  const status = watched(new D1StatusRegister(databases, () => clock.nowMs));
  for (const failure of [null, 'It is away.']) await status.adapter.beat('events HEK', failure);
  await status.adapter.begin('job mirror', NOW, 1);
  await status.adapter.runStatements(1);
  await status.adapter.keepLetters('a-dead', [{ id: 'a', body: 1 }]);
  await status.adapter.letters();
  await status.adapter.deadLetters();
  await status.adapter.removeLetter(1);
  await status.adapter.heartbeats();
  for (const state of ['ok', 'late'] as const) await status.adapter.keep([{ subject: 'movies', state, sentence: 'a' }]);
  await status.adapter.states();
  await status.adapter.changes(10);
  await status.adapter.movieQueue();

  const mirror = watched(new D1MirrorState(databases, 'https://sun.test/', () => clock.nowMs));
  const scope = { sourceId: 10, cadenceMs: null, fromMs: 0 };
  await mirror.adapter.begin([scope]);
  await mirror.adapter.claim([scope], 1);
  for (const sentence of [null, 'It is away.']) await mirror.adapter.finish(scope, { dueAtMs: NOW, sentence });
  await mirror.adapter.plan(scope, [{ fileName: 'a.jp2', address: 'https://sun.test/a.jp2', atMs: 0 }]);
  await mirror.adapter.keepScopes([scope]);
  await mirror.adapter.waiting();
  const [file] = await mirror.adapter.claimFiles(10, 1);
  for (const isAdded of [true, false])
    await mirror.adapter.settle((await mirror.adapter.planned(file!)) ?? { ...file!, scope: '' }, isAdded);
  await mirror.adapter.putOff(file!);
  await mirror.adapter.progress(scope);
  await mirror.adapter.postpone(NOW);
  await mirror.adapter.moveCursor(scope, NOW);
  await mirror.adapter.keepPage('a', '1');
  await mirror.adapter.pageVersion('a');
  await mirror.adapter.keepRefusal(10, 'a.jp2', { reason: 'malformed', sentence: 'a' });
  await mirror.adapter.refusals(['a.jp2']);
  await mirror.adapter.openSpan(scope, { fromMs: 0, toMs: 1, attempts: 1 }, 'a');
  await mirror.adapter.openSpans(scope, { fromMs: 0, onlyDue: true });
  await mirror.adapter.openSpans(scope, { onlyDue: false });
  await mirror.adapter.closeSpan(scope, { fromMs: 0, toMs: 1 });
  await mirror.adapter.heartbeat();
  await mirror.adapter.sweep(NOW);

  expect([status, mirror].map(({ uncalled }) => uncalled())).toEqual([[], []]);
  expect(texts.size).toBeGreaterThan(20);
  // A row for each upstream, for each subject of the status, for the 2000 files and 10,000 dead letters that may wait, and for each mirrored source.
  expect(await scansIn(migrated(), visitors.texts, SMALL)).toEqual([]);
  expect(
    await scansIn(migrated('operations'), texts, [
      'heartbeats',
      'status_states',
      'mirror_sources',
      'mirror_files',
      'dead_letters',
    ]),
  ).toEqual([
    // Reads the newest rows only, in the order of the key.
    expect.stringMatching(/^SCAN status_changes: .* order by .*"id" desc limit \?/),
  ]);
});

it('A scan of a table is found under its name and under another one.', async () => {
  const database = migrated('images');
  const statements = [
    'SELECT * FROM images',
    'SELECT * FROM "images" AS other WHERE other.width = 5',
    'SELECT 1 FROM json_each(?)',
  ];
  expect(await scansIn(database, statements, SMALL)).toHaveLength(2);
  expect(await scansIn(database, ['SELECT * FROM held_shards'], SMALL)).toEqual([]);
});
