import { expect, test, vi } from 'vitest';
import { ingest, withdraw } from '../../../src/archive/ingest/ingest.ts';
import { sweepAbandonedUploads } from '../../../src/archive/ingest/remove-withdrawn.ts';
import { folderTag, imageTag } from '../../../src/archive/keys.ts';
import { partKey } from '../../../src/archive/reading/coefficients.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { MemoryIngest } from '../../support/memory/ingest.ts';

const NAME = '2021_06_01__00_01_21_347__SDO_AIA_AIA_171.jp2';
const KEY = `jp2/AIA/2021/06/01/171/${NAME}`;
const SIDECAR_KEY = `idx/1/AIA/2021/06/01/171/${NAME}.idx`;

const AIA_171 = {
  TELESCOP: 'SDO/AIA',
  INSTRUME: 'AIA_3',
  WAVELNTH: '171',
  'DATE-OBS': '2021-06-01T00:01:21.347',
  NAXIS1: '4096',
  NAXIS2: '4096',
  CDELT1: '0.6',
  CDELT2: '0.6',
  CRPIX1: '2048.5',
  CRPIX2: '2048.5',
  CRVAL1: '0',
  CRVAL2: '0',
};

/** A file in the format of MemoryIngest. `note` changes the bytes but not the image. */
function makeFile(changes: Record<string, string | undefined> = {}, { size = '4096x4096', note = '' } = {}): Uint8Array {
  const fits = Object.entries({ ...AIA_171, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : `<${name}>${value}</${name}>`,
  );
  return new TextEncoder().encode(`${size}<meta><fits>${fits.join('')}<HISTORY>${note}</HISTORY></fits></meta>`);
}

function send(archive: MemoryIngest, fileName: string, jp2: Uint8Array, replace = false) {
  return ingest(archive.ports, { fileName, jp2, replace });
}

const FIRST = makeFile();
const FIRST_SHA256 = await sha256Hex(FIRST);
const LATER = makeFile({ 'DATE-OBS': '2021-06-01T00:03:21.347' });
const SECOND = makeFile({}, { note: 'second' });
const THIRD = makeFile({}, { note: 'third' });

const it = test
  .extend('archive', () => new MemoryIngest())
  .extend('filled', async ({ archive }) => {
    await send(archive, NAME, FIRST);
    return archive;
  });

it.each([
  [{ TELESCOP: undefined, OBSRVTRY: 'STEREO_A', INSTRUME: 'SECCHI', DETECTOR: 'COR2' }, 29, 3, 4096],
  [{ CDELT2: '1.2', PC1_1: '0.9', PC1_2: '-0.4' }, 10, 1, 8192],
])('ingest adds an image with %j, and with the warning of its inspection', async (changes, sourceId, layeringOrder, height) => {
  const archive = new MemoryIngest();
  archive.inspect = async () => ({ ...(await new MemoryIngest().inspect(makeFile(changes))), warning: 'No end.' });
  const image = { sourceId, geometry: { width: 4096, height, layeringOrder } };
  expect(await send(archive, 'image.jp2', FIRST)).toMatchObject({ outcome: 'added', image, warning: 'No end.' });
});

it('ingest changes nothing for a file that is archived already', async ({ filled: archive }) => {
  archive.inspect = () => expect.unreachable('it is inspected again');
  expect(await send(archive, NAME, FIRST)).toMatchObject({ outcome: 'known', image: { id: 26 } });
});

it('ingest refuses different bytes under an archived name, and a second image of the same instant, and keeps the image', async ({
  filled: archive,
}) => {
  expect(await send(archive, NAME, makeFile({}, { note: 'again' }))).toEqual({
    outcome: 'conflict',
    sentence: `${NAME} is archived with other content. Add ?replace=true to replace it.`,
  });
  expect(archive.objects.get(KEY)).toEqual(FIRST);
  const other = NAME.replace('347', '348');
  expect(await send(archive, other, FIRST)).toEqual({
    outcome: 'conflict',
    sentence: `Source 10 has an image at 2021-06-01T00:01:21Z already (${NAME}), so ${other} is refused.`,
  });
  expect([...archive.objects.keys()]).toEqual([KEY, SIDECAR_KEY]);
  expect(archive.uploads.length).toBe(0);
});

it('ingest leaves the objects of a refused image to another upload that has found them', async ({ filled: archive }) => {
  const other = NAME.replace('347', '348');
  const { register } = archive.ports;
  let second: ReturnType<typeof send> | undefined;
  beforeNext(register, 'add', async () => {
    const found = Promise.withResolvers<void>();
    beforeNext(register, 'add', () => {
      found.resolve();
      return withdraw(archive.ports, NAME);
    });
    second = send(archive, other, makeFile({}, { note: 'other' }));
    await found.promise;
  });
  expect(await send(archive, other, makeFile({}, { note: 'other' }))).toMatchObject({ outcome: 'conflict' });
  expect(await second).toMatchObject({ outcome: 'added', image: { fileName: other } });
  expect(archive.objects.has(archive.rows[0]!.key)).toBe(true);
});

it('uploads of a refused image at once leave its objects to the sweep, as one may still write', async ({ filled: archive }) => {
  const sendOther = () => send(archive, NAME.replace('347', '348'), makeFile({}, { note: 'other' }));
  beforeNext(archive.ports.objects, 'create', async () => expect(await sendOther()).toMatchObject({ outcome: 'conflict' }));
  expect(await sendOther()).toMatchObject({ outcome: 'conflict' });
  expect(archive.objects.size).toBe(4);
  await sweepAbandonedUploads(archive.ports);
  expect([archive.objects.size, archive.uploads]).toEqual([2, []]);
});

const refusals: [string, Uint8Array, string, RegExp][] = [
  ['has no header', new TextEncoder().encode('8x8<nothing/>'), 'header', /no XML box/],
  [
    'is of an unknown source',
    makeFile({ TELESCOP: 'Kepler', INSTRUME: 'CCD', WAVELNTH: undefined }),
    'datasource',
    /known datasource/,
  ],
  ['has no date', makeFile({ 'DATE-OBS': undefined }), 'date', /no DATE-OBS with a readable date/],
  ['is older than any mission', makeFile({ 'DATE-OBS': '1970-01-01T00:00:00' }), 'date', /Expected a date after 1990/],
  [
    'is dated in the future',
    makeFile({ 'DATE-OBS': '2031-01-01T00:00:00' }),
    'date',
    /Expected a date in the past .* 2031-01-01T00:00:00Z/,
  ],
  ['has no plate scale', makeFile({ CDELT1: '0' }), 'geometry', /CDELT1/],
  [
    'differs in size from its header',
    makeFile({}, { size: '2048x2048' }),
    'size',
    /Expected the 2048x2048 pixels of the codestream for NAXIS1 and NAXIS2, got 4096x4096/,
  ],
];

it.each(refusals)('ingest refuses a file with a reason if it %s, and changes nothing', async (_, file, reason, sentence) => {
  const archive = new MemoryIngest();
  const name = reason === 'datasource' || reason === 'header' ? 'unnamed.jp2' : NAME;
  expect(await send(archive, name, file)).toEqual({ outcome: 'refused', reason, sentence: expect.stringMatching(sentence) });
  expect([archive.objects.size, archive.uploads.length, archive.rows.length]).toEqual([0, 0, 0]);
});

it('ingest of an invalid file refuses a file with the sentence of the codestream reader', async ({ archive }) => {
  archive.inspect = async () => {
    throw new Jp2Error('unsupported', 'Expected classic code-blocks, got HT ones.');
  };
  expect(await send(archive, NAME, FIRST)).toEqual({
    outcome: 'refused',
    reason: 'unsupported',
    sentence: 'Expected classic code-blocks, got HT ones.',
  });
});

/** Its objects and the entry of the journal are left. */
async function abandon(archive: MemoryIngest) {
  vi.spyOn(archive.ports.register, 'add').mockRejectedValueOnce(new Error('The isolate ended.'));
  await expect(send(archive, NAME, FIRST)).rejects.toThrow('The isolate ended.');
  expect([archive.objects.size, archive.uploads.length]).toEqual([2, 1]);
}

it.each([
  ['add', FIRST],
  ['reserve', LATER],
] as const)('ingest adds no row with the key of an image that is withdrawn before `%s` of the register', async (step, other) => {
  const archive = new MemoryIngest();
  beforeNext(archive.ports.register, step, async () => {
    await send(archive, NAME, other);
    await withdraw(archive.ports, NAME);
  });
  await expect(send(archive, NAME, FIRST)).rejects.toThrow(`${NAME} is being withdrawn.`);
  expect([archive.rows, archive.withdrawn]).toMatchObject([[], [{ key: KEY }]]);
});

const COPY = 'copy.jp2';

it.each([
  [{ restore: false, before: undefined }, [{ outcome: 'refused', reason: 'withdrawn' }, [], [FIRST_SHA256]]],
  [{ restore: true, before: undefined }, [{ outcome: 'added' }, [COPY], []]],
  [{ restore: false, before: LATER }, [{ outcome: 'added' }, [COPY], []]],
] as const)('ingest of content that is withdrawn under another name meanwhile ends in one state: %o', async (given, expected) => {
  const archive = new MemoryIngest();
  const { register, withdrawals } = archive.ports;
  await send(archive, NAME, FIRST);
  if (given.before) await send(archive, COPY, given.before);
  beforeNext(register, 'add', () => withdraw(archive.ports, NAME));
  const { restore, before } = given;
  const result = await ingest(archive.ports, { fileName: COPY, jp2: FIRST, replace: before !== undefined, restore });
  const names = archive.rows.map(({ fileName }) => fileName);
  expect([result, names, [...(await withdrawals.ofContents([FIRST_SHA256])).keys()]]).toEqual([
    expect.objectContaining(expected[0]),
    ...expected.slice(1),
  ]);
});

it.each([
  { restore: false, before: undefined },
  { restore: true, before: undefined },
  { restore: true, before: LATER },
])(
  'an upload that breaks off while its content is withdrawn under another name goes with it unless it is a replacement: %o',
  async ({ restore, before }) => {
    const archive = new MemoryIngest();
    const { records, register, withdrawals } = archive.ports;
    await send(archive, NAME, FIRST);
    if (before) await send(archive, COPY, before);
    beforeNext(register, 'add', async () => {
      await withdraw(archive.ports, NAME);
      vi.spyOn(records, 'write').mockRejectedValueOnce(new Error('broken off'));
    });
    const file = { fileName: COPY, jp2: FIRST, replace: before !== undefined, restore };
    await expect(ingest(archive.ports, file)).rejects.toThrow('broken off');
    expect(archive.rows).toMatchObject([{ fileName: COPY }]);
    await sweepAbandonedUploads(archive.ports);
    const left = [archive.rows.length, (await withdrawals.ofContents([FIRST_SHA256])).size];
    expect(left).toEqual(before ? [1, 0] : [0, 1]);
    const outcome = before ? 'known' : 'added';
    expect(await ingest(archive.ports, { ...file, restore: true })).toMatchObject({ outcome });
  },
);

it('an upload that ended before its row leaves its name free, and nothing behind after the sweep', async ({ archive }) => {
  await abandon(archive);
  const other = makeFile({}, { note: 'other bytes' });
  const added = await send(archive, NAME, other);
  expect(added.outcome).toBe('added');
  expect(archive.objects.get(archive.rows[0]!.key)).toEqual(other);
  await sweepAbandonedUploads(archive.ports);
  expect(archive.objects.size).toBe(2);
  expect(archive.uploads).toEqual([]);
});

it('an upload that ended before its row leaves a file that others have put there since', async ({ archive }) => {
  await archive.journal.begin({ key: KEY, fileName: NAME });
  await archive.ports.objects.put(KEY, FIRST, 'image/jp2');
  await sweepAbandonedUploads(archive.ports);
  expect([archive.objects.size, archive.uploads]).toEqual([1, []]);
});

it.each([
  ['record', 'withdrawals', 'record', 'known'],
  ['row', 'register', 'withdraw', 'added'],
] as const)('a withdrawal whose %s comes late leaves a later upload', async (_, port, statement, uploaded) => {
  const archive = new MemoryIngest();
  await send(archive, NAME, FIRST);
  const later = () => ingest(archive.ports, { fileName: NAME, jp2: FIRST, replace: false, restore: true });
  beforeNext(archive.ports[port] as never, statement as never, async () => expect((await later()).outcome).toBe(uploaded));
  expect((await withdraw(archive.ports, NAME)).outcome).toBe('busy');
  for (let sweep = 0; sweep < 2; sweep += 1) await sweepAbandonedUploads(archive.ports);
  expect(archive.rows).toMatchObject([{ sha256: FIRST_SHA256 }]);
});

it.each(['upload', 'withdrawal'])('a replacement whose row comes late changes nothing after a later %s', async (later) => {
  const archive = new MemoryIngest();
  await send(archive, NAME, FIRST);
  const { register } = archive.ports;
  beforeNext(register as never, 'add' as never, async () => {
    expect(await (later === 'upload' ? send(archive, NAME, FIRST) : withdraw(archive.ports, NAME))).not.toHaveProperty(
      'sentence',
    );
    vi.spyOn(MemoryIdSequences.prototype, 'next').mockRejectedValueOnce('The isolate ended.');
  });
  await expect(send(archive, NAME, SECOND, true)).rejects.toBe('The isolate ended.');
  await sweepAbandonedUploads(archive.ports);
  expect(archive.rows.map(({ sha256 }) => sha256)).toEqual(later === 'upload' ? [FIRST_SHA256] : []);
});

it('an upload that is known once it has begun leaves the rest of another one to the sweep', async ({ archive }) => {
  const { register } = archive.ports;
  const add = register.add.bind(register);
  vi.spyOn(register, 'add').mockImplementationOnce(async (...given) => {
    // Another upload ends after this.
    await add(...given);
    return add(...given);
  });
  expect(await send(archive, NAME, FIRST)).toMatchObject({ outcome: 'known' });
  expect(archive.uploads).toHaveLength(1);
});

it('an upload that continues one without a row has an id after those of the images added since', async ({ archive }) => {
  await abandon(archive);
  const since = await send(archive, NAME.replace('01_21', '02_21'), makeFile({ 'DATE-OBS': '2021-06-01T00:02:21.347' }));
  const added = await send(archive, NAME, FIRST);
  if (since.outcome !== 'added' || added.outcome !== 'added') expect.unreachable('they are added');
  expect(added.image.id).toBeGreaterThan(since.image.id);
  expect([...archive.objects.keys()].filter((key) => key.startsWith('ids/of/'))).toHaveLength(1);
});

it('an upload that ended before its row makes the next one `busy` while the sweep removes its objects', async ({ archive }) => {
  await abandon(archive);
  await archive.takeAbandoned();
  expect((await send(archive, NAME, FIRST)).outcome).toBe('busy');
  await archive.journal.end(KEY);
  expect((await send(archive, NAME, FIRST)).outcome).toBe('added');
});

/** Invariant of the archive after a sweep: both objects of every row exist, and no others. */
function expectObjectsOfRowsOnly(archive: MemoryIngest) {
  const keys = archive.rows.flatMap(({ key }) => [key, key.replace('jp2/', 'idx/1/').concat('.idx')]);
  expect([...archive.objects.keys()].sort()).toEqual(keys.sort());
  expect(archive.uploads).toEqual([]);
}

/** Expects that the removal of withdrawn images waits for the sweep, which repeats it. */
async function expectRepeatedRemoval(archive: MemoryIngest) {
  expect(archive.uploads.length).toBeGreaterThan(0);
  archive.purged.clear();
  await sweepAbandonedUploads(archive.ports);
  expect([...archive.purged].sort()).toEqual([...new Set(archive.withdrawn.map(imageTag)), 'timeline-AIA'].sort());
  expectObjectsOfRowsOnly(archive);
}

it('a replacement gives the new content another id and key, and removes the old one', async ({ archive }) => {
  await send(archive, NAME, FIRST, true);
  const result = await send(archive, NAME, SECOND, true);
  const key = expect.stringMatching(new RegExp(`^jp2/AIA/2021/06/01/171/v2-[0-9a-f]{8}/${NAME}$`));
  expect(result).toMatchObject({ outcome: 'added', image: { id: 42, key }, replacedId: 26 });
  expect(archive.withdrawn).toMatchObject([{ id: 26, key: KEY }]);
  expect([...archive.purged]).toEqual([imageTag(archive.withdrawn[0]!), 'timeline-AIA']);
  expect(archive.recorded).toEqual([42]);
  await expectRepeatedRemoval(archive);
});

it('a replacement never uses a key again, even for the first content', async ({ archive }) => {
  const keys = new Set<string>();
  for (const file of [FIRST, SECOND, FIRST, SECOND, THIRD]) {
    expect((await send(archive, NAME, file, true)).outcome).toBe('added');
    keys.add(archive.rows[0]!.key);
  }
  expect(keys.size).toBe(5);
  expect([...keys].at(-1)).toContain('/v5-');
  await expectRepeatedRemoval(archive);
});

it('a replacement changes nothing when it is repeated', async ({ filled: archive }) => {
  await send(archive, NAME, SECOND, true);
  expect(await send(archive, NAME, SECOND, true)).toMatchObject({ outcome: 'known', image: { id: 42 } });
  expect(archive.withdrawn).toHaveLength(1);
});

it('a replacement refuses an image of another source and keeps the present one', async ({ filled: archive }) => {
  expect(await send(archive, NAME, makeFile({ WAVELNTH: '193' }), true)).toEqual({
    outcome: 'conflict',
    sentence: `${NAME} is an image of source 10 and cannot be replaced by one of source 11. Withdraw it first.`,
  });
  expect(archive.rows).toMatchObject([{ id: 26 }]);
  expectObjectsOfRowsOnly(archive);
});

it('a replacement refuses an image of the time of another one and keeps the present one', async ({ filled: archive }) => {
  const later = { 'DATE-OBS': '2021-06-01T00:01:33.347' };
  await send(archive, NAME.replace('21_347', '33_347'), makeFile(later));
  expect((await send(archive, NAME, makeFile(later, { note: 'moved' }), true)).outcome).toBe('conflict');
  expect(archive.rows).toMatchObject([{ id: 26 }, { id: 42 }]);
  await sweepAbandonedUploads(archive.ports);
  expectObjectsOfRowsOnly(archive);
});

it('a withdrawal removes the image and its objects, and may be repeated', async ({ filled: archive }) => {
  for (let i = 0; i < 2; i += 1) {
    expect(await withdraw(archive.ports, NAME)).toMatchObject({ outcome: 'withdrawn', image: { id: 26, fileName: NAME } });
  }
  expect([archive.rows.length, archive.withdrawn.length, [...archive.purged]]).toEqual([
    0,
    1,
    [imageTag(archive.withdrawn[0]!), 'timeline-AIA'],
  ]);
  expect(archive.recorded).toEqual([]);
  await expectRepeatedRemoval(archive);
});

it('a withdrawal purges a mass of removed images once, by the days of their datasources', async ({ filled: archive }) => {
  for (let i = 0; i < 300; i++) {
    const folder = `AIA/2021/06/0${1 + (i % 3)}/171${i % 2 ? '' : '/v2-0123abcd'}`;
    await archive.journal.leave({ key: `jp2/${folder}/${i}.jp2`, fileName: `${i}.jp2` });
  }
  await withdraw(archive.ports, NAME);
  expect([...archive.purged]).toEqual([]);
  for (let sweeps = 0; sweeps < 4; sweeps++) {
    await sweepAbandonedUploads(archive.ports);
    const tags = ['additions', 'folder'].flatMap((of) => [1, 2, 3].map((day) => `${of}-AIA/2021/06/0${day}/171`));
    expect([...archive.purged].sort()).toEqual([...tags, 'timeline-AIA']);
  }
  expect(archive.withdrawn.map(folderTag)).toEqual(['folder-AIA/2021/06/01/171']);
  expectObjectsOfRowsOnly(archive);
  // A later removal at one of these keys is purged again.
  await send(archive, NAME, SECOND);
  archive.purged.clear();
  await withdraw(archive.ports, NAME);
  expect([...archive.purged]).toEqual([imageTag(archive.withdrawn.at(-1)!), 'timeline-AIA']);
});

it('a withdrawal purges the days of datasources that images are added to after a week, once for many', async ({ archive }) => {
  const files = [0, 1, 2].map((second) => NAME.replace('01_21', `0${second}_21`));
  archive.nowMs = Date.UTC(2021, 5, 5);
  await send(archive, NAME, FIRST);
  expect(archive.uploads).toEqual([]);
  archive.nowMs = Date.UTC(2021, 5, 20);
  for (const [i, name] of files.entries()) {
    if (name !== NAME) await send(archive, name, makeFile({ 'DATE-OBS': `2021-06-01T00:0${i}:21.347` }));
  }
  expect(archive.uploads).toMatchObject([{ key: 'jp2/AIA/2021/06/01/171/', fileName: '' }]);
  await sweepAbandonedUploads(archive.ports);
  expect([...archive.purged]).toEqual(['additions-AIA/2021/06/01/171', 'timeline-AIA']);
  expect([archive.uploads, archive.rows.length]).toEqual([[], 3]);
  expectObjectsOfRowsOnly(archive);
});

it('a note of additions to a folder that is being purged is kept for another purge', async ({ archive }) => {
  const purge = vi.spyOn(archive.ports.caches, 'purge');
  await archive.journal.leaveFolders([KEY]);
  purge.mockImplementationOnce(async () => archive.journal.leaveFolders([KEY]));
  for (const purges of [1, 2, 2]) {
    await sweepAbandonedUploads(archive.ports);
    expect(purge).toHaveBeenCalledTimes(purges);
  }
});

it('a removal is purged before those of a mass that was purged by its folders', async ({ archive }) => {
  for (let i = 0; i < 300; i++) await archive.journal.leave({ key: `jp2/AIA/2021/06/02/171/${i}.jp2`, fileName: `${i}.jp2` });
  await sweepAbandonedUploads(archive.ports);
  await send(archive, NAME, FIRST);
  await withdraw(archive.ports, NAME);
  archive.purged.clear();
  await sweepAbandonedUploads(archive.ports);
  expect([...archive.purged]).toContain(imageTag(archive.withdrawn[0]!));
});

it('a withdrawal that failed before its row is completed by the sweep, unless the file is restored', async () => {
  for (const isRestored of [false, true]) {
    const archive = new MemoryIngest();
    await send(archive, NAME, FIRST);
    vi.spyOn(archive.ports.register, 'withdraw').mockRejectedValueOnce(new Error('busy'));
    await expect(withdraw(archive.ports, NAME)).rejects.toThrow('busy');
    expect(await send(archive, NAME, FIRST)).toMatchObject({ outcome: 'refused', reason: 'withdrawn' });
    if (isRestored) await ingest(archive.ports, { fileName: NAME, jp2: FIRST, replace: false, restore: true });
    await sweepAbandonedUploads(archive.ports);
    expect([archive.rows.length, archive.withdrawn.length, archive.objects.size]).toEqual(isRestored ? [1, 1, 2] : [0, 1, 0]);
    if (!isRestored) await expectRepeatedRemoval(archive);
  }
});

it('a repeated removal leaves what is derived from content that is archived under another name', async ({ filled: archive }) => {
  await withdraw(archive.ports, NAME);
  await ingest(archive.ports, { fileName: COPY, jp2: FIRST, replace: false, restore: true });
  const derived = partKey({ sha256: FIRST_SHA256 }, 'A');
  archive.objects.set(derived, FIRST);
  const [image] = archive.rows;
  await archive.ports.records.write({ ...image!, id: 42 });
  await sweepAbandonedUploads(archive.ports);
  expect([archive.objects.has(derived), archive.recorded]).toEqual([true, [image!.id]]);
});

it('a mirrored file with other content gets no image under a name that was withdrawn', async ({ filled: archive }) => {
  await withdraw(archive.ports, NAME);
  const mirrored = await ingest(archive.ports, { fileName: NAME, jp2: SECOND, replace: false, keepsWithdrawn: true });
  expect(mirrored).toMatchObject({ outcome: 'refused', reason: 'withdrawn' });
  expect(await send(archive, NAME, SECOND)).toMatchObject({ outcome: 'added' });
});

it('an upload of an image whose row is back without its file is refused until it is withdrawn', async ({ filled: archive }) => {
  archive.objects.delete(KEY);
  expect(await send(archive, NAME, FIRST)).toMatchObject({ outcome: 'conflict', sentence: expect.stringContaining('--mend') });
  await withdraw(archive.ports, NAME, archive.rows[0], true);
  expect(await send(archive, NAME, FIRST)).toMatchObject({ outcome: 'added' });
});

it('a replacement that was broken off after its row is completed by its repetition', async ({ filled: archive }) => {
  vi.spyOn(archive.ports.records, 'write').mockRejectedValueOnce(new Error('broken off'));
  await expect(send(archive, NAME, SECOND, true)).rejects.toThrow('broken off');
  expect([archive.objects.has(KEY), archive.rows.length]).toEqual([true, 1]);
  expect(await send(archive, NAME, SECOND, true)).toMatchObject({ outcome: 'known' });
  expect([archive.objects.has(KEY), archive.withdrawn.length]).toEqual([false, 1]);
});

it('a withdrawal leaves the image that has replaced the meant one', async ({ filled: archive }) => {
  const [found] = archive.rows;
  const folder = 'AIA/2021/06/01/171/v2-0a1b2c3d';
  await archive.databases.ofShard(10).prepare('UPDATE images SET id = 42, folder = ?').bind(folder).run();
  const [second] = archive.rows;
  expect(await withdraw(archive.ports, NAME, found!)).toEqual({ outcome: 'unknown' });
  expect([archive.rows.length, archive.withdrawn.length]).toEqual([1, 0]);
  expect(await withdraw(archive.ports, NAME, second)).toMatchObject({ outcome: 'withdrawn', image: { id: 42 } });
  // Completes a withdrawal that was interrupted.
  expect(await withdraw(archive.ports, NAME, second)).toMatchObject({ outcome: 'withdrawn' });
});

it('a withdrawal finds nothing for a name that the archive never had', async ({ archive }) => {
  expect(await withdraw(archive.ports, NAME)).toEqual({ outcome: 'unknown' });
});
