import { describe, expect, it } from 'vitest';
import { Jp2Error } from '../../../src/imaging/jp2/errors.ts';
import { ingest } from '../../../src/services/images/ingest.ts';
import { sweepAbandonedUploads } from '../../../src/services/images/sweep.ts';
import { Crash, MemoryIngest, type Step } from '../../support/memory/ingest.ts';

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

/** Invariant of the archive: both objects of every row exist. */
function expectRowsToHaveObjects(archive: MemoryIngest) {
  for (const { key } of archive.rows) expect([...archive.objects.keys()]).toEqual(expect.arrayContaining([key, SIDECAR_KEY]));
}

describe('ingest', () => {
  it('writes the image, its sidecar and its row', async () => {
    const archive = new MemoryIngest();
    const file = makeFile();
    const result = await ingest(archive.ports, NAME, file);
    expect(result).toMatchObject({
      outcome: 'added',
      image: { id: 26, sourceId: 10, takenAtMs: Date.UTC(2021, 5, 1, 0, 1, 21, 347), key: KEY, byteLength: file.length },
    });
    expect([...archive.objects.keys()]).toEqual([KEY, SIDECAR_KEY]);
    expect(archive.objects.get(KEY)).toEqual(file);
    expect(archive.uploads.size).toBe(0);
  });

  it('changes nothing for a file that is archived already', async () => {
    const archive = new MemoryIngest();
    await ingest(archive.ports, NAME, makeFile());
    archive.crash = { step: 'inspect', when: 'before' };
    expect(await ingest(archive.ports, NAME, makeFile())).toMatchObject({ outcome: 'known', image: { id: 26 } });
  });

  it('adds one image for concurrent uploads of one file', async () => {
    const archive = new MemoryIngest();
    const results = await Promise.all([1, 2, 3].map(() => ingest(archive.ports, NAME, makeFile())));
    expect(results.map((result) => result.outcome).sort()).toEqual(['added', 'known', 'known']);
    expect(archive.rows).toHaveLength(1);
    expectRowsToHaveObjects(archive);
  });

  it('refuses different bytes under an archived name and keeps the image', async () => {
    const archive = new MemoryIngest();
    const first = makeFile();
    await ingest(archive.ports, NAME, first);
    expect(await ingest(archive.ports, NAME, makeFile({}, { note: 'again' }))).toEqual({
      outcome: 'conflict',
      sentence: `${NAME} is archived with other content, and an archived image cannot be replaced.`,
    });
    expect(archive.objects.get(KEY)).toEqual(first);
  });

  it('never mixes concurrent uploads of two files with one name', async () => {
    const archive = new MemoryIngest();
    const files = [makeFile({}, { note: 'one' }), makeFile({}, { note: 'two' })];
    const results = await Promise.all(files.map((file) => ingest(archive.ports, NAME, file)));
    expect(results.map((result) => result.outcome).sort()).toEqual(['added', 'conflict']);
    const winner = results.findIndex((result) => result.outcome === 'added');
    expect(archive.objects.get(KEY)).toEqual(files[winner]);
    expectRowsToHaveObjects(archive);
  });

  it('removes the objects of a second image of the same instant', async () => {
    const archive = new MemoryIngest();
    await ingest(archive.ports, NAME, makeFile());
    const other = NAME.replace('347', '348');
    expect(await ingest(archive.ports, other, makeFile())).toEqual({
      outcome: 'conflict',
      sentence: `Expected no image at this time, got ${NAME}.`,
    });
    expect([...archive.objects.keys()]).toEqual([KEY, SIDECAR_KEY]);
    expect(archive.uploads.size).toBe(0);
  });
});

describe('ingest of an invalid file', () => {
  const refusals: [string, Uint8Array, string, RegExp][] = [
    ['has no header', new TextEncoder().encode('8x8<nothing/>'), 'header', /Expected an XML box/],
    [
      'is of an unknown source',
      makeFile({ TELESCOP: 'Kepler', INSTRUME: 'CCD', WAVELNTH: undefined }),
      'datasource',
      /known datasource/,
    ],
    ['has no date', makeFile({ 'DATE-OBS': undefined }), 'date', /Expected a date with a time of day for DATE-OBS/],
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

  it.each(refusals)('is refused with a reason if the file %s, and changes nothing', async (_, file, reason, sentence) => {
    const archive = new MemoryIngest();
    const name = reason === 'datasource' || reason === 'header' ? 'unnamed.jp2' : NAME;
    expect(await ingest(archive.ports, name, file)).toEqual({
      outcome: 'refused',
      reason,
      sentence: expect.stringMatching(sentence),
    });
    expect([archive.objects.size, archive.uploads.size, archive.rows.length]).toEqual([0, 0, 0]);
  });

  it('is refused with the sentence of the codestream reader', async () => {
    const archive = new MemoryIngest();
    archive.inspect = async () => {
      throw new Jp2Error('unsupported', 'Expected classic code-blocks, got HT ones.');
    };
    expect(await ingest(archive.ports, NAME, makeFile())).toEqual({
      outcome: 'refused',
      reason: 'unsupported',
      sentence: 'Expected classic code-blocks, got HT ones.',
    });
  });
});

describe('a crash during ingest', () => {
  const steps: Step[] = ['inspect', 'begin', 'create jp2', 'create sidecar', 'add', 'end'];
  const crashes = steps.flatMap((step) => [
    { step, when: 'before' as const },
    { step, when: 'after' as const },
  ]);

  it.each(crashes)('$when "$step" never leaves a row without its objects, and the next attempt succeeds', async (crash) => {
    const archive = new MemoryIngest();
    archive.crash = crash;
    await expect(ingest(archive.ports, NAME, makeFile())).rejects.toThrow(Crash);
    expectRowsToHaveObjects(archive);

    archive.crash = null;
    expect((await ingest(archive.ports, NAME, makeFile())).outcome).toMatch(/added|known/);
    expect(archive.rows).toHaveLength(1);
    expect([...archive.objects.keys()].sort()).toEqual([SIDECAR_KEY, KEY]);
  });

  it.each(crashes)('$when "$step" leaves only objects that the sweep removes', async (crash) => {
    const archive = new MemoryIngest();
    archive.crash = crash;
    await expect(ingest(archive.ports, NAME, makeFile())).rejects.toThrow(Crash);

    archive.crash = null;
    await sweepAbandonedUploads(archive.ports);
    expect(archive.objects.size).toBe(archive.rows.length * 2);
    expect([archive.uploads.size, archive.sweeping.size]).toEqual([0, 0]);
    const expected = archive.rows.length === 1 ? 'conflict' : 'added';
    expect((await ingest(archive.ports, NAME, makeFile({}, { note: 'other bytes' }))).outcome).toBe(expected);
  });

  it('makes the next upload `busy` while the sweep removes the objects', async () => {
    const archive = new MemoryIngest();
    archive.crash = { step: 'add', when: 'before' };
    await expect(ingest(archive.ports, NAME, makeFile())).rejects.toThrow(Crash);
    archive.crash = null;
    await archive.takeAbandoned();
    expect((await ingest(archive.ports, NAME, makeFile())).outcome).toBe('busy');
    await archive.end(KEY);
    expect((await ingest(archive.ports, NAME, makeFile())).outcome).toBe('added');
  });
});
