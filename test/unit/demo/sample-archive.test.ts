import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DAY_MS, defaultArchive, makeArchive, recentArchive, sampleStages, seriesShots } from '../../../demo/archive.ts';
import { archivePath, imageFile } from '../../../demo/image-file.ts';
import { xmlHeader } from '../../../demo/instruments/header.ts';
import { expose, type Shot } from '../../../demo/instruments/instrument.ts';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { readBoxes } from '../../../src/jp2/boxes.ts';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { MOVIE_LIMITS } from '../../../src/platform/limits/movies.ts';
import { identifySource } from '../../../src/sun/catalogue/identify.ts';
import { allSources, findSource } from '../../../src/sun/catalogue/sources.ts';
import { imageGeometry } from '../../../src/sun/geometry.ts';
import { fileNameTime, observationTime } from '../../../src/sun/time.ts';
import { runCommand, runHere } from '../../support/commands.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';
import { testFolder } from '../../support/system/test-folder.ts';

useSampleMaps();

const TIME = Date.UTC(2013, 5, 1, 7, 30, 9) + 350;
const folder = testFolder();

const drawn = allSources.filter((source) => source.id < 10_000);

function headerOf(sourceId: number) {
  const instrument = findInstrument(sourceId);
  if (!instrument) throw new Error(`source ${sourceId} cannot be drawn`);
  const exposure = expose(instrument, { sourceId, timeMs: TIME, size: 1024 });
  const header = parseXmlHeader(xmlHeader(instrument, exposure));
  if (!header) throw new Error(`source ${sourceId} has no header`);
  return { exposure, header, fileName: instrument.fileName(TIME) };
}

it('headers of sample images name their own source, for every source of the catalogue', () => {
  const identified = drawn.map(({ id }) => {
    const { header, fileName } = headerOf(id);
    return [id, identifySource(header, fileName)];
  });
  expect(identified).toEqual(drawn.map(({ id }) => [id, { sourceId: id }]));
});

it('headers of sample images state the drawn position and size of the Sun, and the second of the file name', () => {
  for (const { id } of drawn) {
    const { exposure, header, fileName } = headerOf(id);
    const geometry = imageGeometry(header.fits, findSource(id)!);
    expect(geometry.refPixelX).toBeCloseTo(exposure.framing.sunX, 3);
    expect(geometry.refPixelY).toBeCloseTo(exposure.framing.sunY, 3);
    expect([geometry.width, geometry.height]).toEqual([exposure.framing.width, exposure.framing.height]);
    expect(geometry.scaleArcsecPerPixel * geometry.scaleCorrection).toBeCloseTo(exposure.framing.scaleArcsecPerPixel, 5);
    expect(observationTime(header.fits)).toBe(TIME);
    expect(Math.floor((fileNameTime(fileName) ?? 0) / 1000)).toBe(Math.floor(TIME / 1000));
  }
});

it('headers of sample images say that the picture is synthetic', () => {
  const { header } = headerOf(10);
  expect(header.fits.get('ORIGIN')).toBe('helioedge sample (synthetic)');
  expect(header.helioviewer.get('HV_COMMENT')).toMatch(/not an observation/);
});

it('paths in the sample archive do not exist for unknown sources', () => {
  expect(() => archivePath({ sourceId: 36, timeMs: TIME, size: 64 })).toThrow('The sample cannot draw source 36.');
});

const shots = defaultArchive();

it('the default archive shows every observatory of the interface', () => {
  const observatories = new Set(shots.map(({ sourceId }) => findSource(sourceId)?.levels[0]?.name));
  const shown = 'SDO SOHO STEREO_A STEREO_B PROBA2 Hinode TRACE Yohkoh SOLO GOES MLSO IRIS GONG RHESSI';
  expect([...observatories]).toEqual(expect.arrayContaining(shown.split(' ')));
});

it('the default archive contains 48 images of the day of AIA, HMI and LASCO and a large one, each with its own file name', () => {
  for (const sourceId of [10, 11, 13, 19, 4, 5]) {
    const times = shots.filter((shot) => shot.sourceId === sourceId && shot.size === 1024).map(({ timeMs }) => timeMs);
    expect(times.filter((timeMs) => timeMs >= DEFAULT_DAY_MS && timeMs < DEFAULT_DAY_MS + 86_400_000)).toHaveLength(48);
  }
  expect(shots.some(({ size }) => size === 4096)).toBe(true);
  expect(new Set(shots.map(archivePath)).size).toBe(shots.length);
});

const { first, rest } = sampleStages();
const all = defaultArchive();
const hoursOf = (hours: number) => DEFAULT_DAY_MS + hours * 3_600_000;
const inFirst = (sourceId: number) => first.filter((shot) => shot.sourceId === sourceId);

/** The shot that the service would choose: of two at one distance, the earlier. */
const nearest = (shots: readonly Shot[], sourceId: number, timeMs: number) =>
  shots
    .filter((shot) => shot.sourceId === sourceId)
    .sort((a, b) => Math.abs(a.timeMs - timeMs) - Math.abs(b.timeMs - timeMs) || a.timeMs - b.timeMs)[0];

it('the stages of the default archive contain each image once, and begin with one of every source, the largest first', () => {
  expect([...first, ...rest].map(archivePath).toSorted()).toEqual(all.map(archivePath).toSorted());
  expect(new Set(first.map(({ sourceId }) => sourceId))).toEqual(new Set(all.map(({ sourceId }) => sourceId)));
  expect(first.length).toBeLessThanOrEqual(80);
  expect(first.map(({ size }) => size)).toEqual(first.map(({ size }) => size).toSorted((a, b) => b - a));
});

it.each([
  ['AIA 171 at 12:00', 10, 12],
  ['AIA 304 at noon', 13, 12],
  ['AIA 171 at 11:30, in a screenshot', 10, 11.5],
  ['AIA 193 at 11:30, in a screenshot', 11, 11.5],
  ['LASCO C2 at 11:30, in a screenshot', 4, 11.5],
  ['the magnetogram at 11:30, in a screenshot', 19, 11.5],
  ['the newest LASCO C2, as the eclipse', 4, 24],
])('the stages of the default archive contain %s in the first, as the tour of the README expects', (_, sourceId, hours) => {
  expect(nearest(first, sourceId, hoursOf(hours))).toEqual(nearest(all, sourceId, hoursOf(hours)));
});

it('the stages of the default archive contain in the first a reference an hour before, a movie and a JPX of the day', () => {
  const baseMs = (nearest(all, 10, hoursOf(12))?.timeMs ?? 0) - 3_600_000;
  expect(nearest(first, 10, baseMs)).toEqual(nearest(all, 10, baseMs));
  expect(inFirst(11).length).toBeGreaterThanOrEqual(MOVIE_LIMITS.frames.least);
  for (const sourceId of [4, 10]) expect(inFirst(sourceId).length).toBeGreaterThanOrEqual(6);
});

describe('making an archive', () => {
  const shots = seriesShots({ sources: [4, 31], fromMs: TIME, toMs: TIME + 1_800_000, cadenceMs: 1_800_000, size: 64 });
  const files = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('.jp2'));

  it('writes each image once', async () => {
    const result = await makeArchive(shots, folder, { concurrency: 1 });
    expect(result).toMatchObject({ written: 4, skipped: 0 });
    expect(result.bytes).toBe(shots.reduce((sum, shot) => sum + statSync(join(folder, archivePath(shot))).size, 0));
    expect(files().toSorted()).toEqual(shots.map(archivePath).toSorted());
  });

  it('makes only missing files, with identical bytes, and reports each complete file', async () => {
    const [lost] = shots;
    if (!lost) throw new Error('a series without shots');
    const [path, other] = [join(folder, archivePath(lost)), join(folder, archivePath(shots[1] ?? lost))];
    const [before, keptAt] = [readFileSync(path), statSync(other).mtimeMs];
    rmSync(path);
    const complete: string[] = [];
    const onFile = (file: string) => complete.push(`${file} ${statSync(file).size > 0}`);
    expect(await makeArchive(shots, folder, { concurrency: 2, onFile })).toMatchObject({ written: 1, skipped: 3 });
    expect(complete.toSorted()).toEqual(shots.map((shot) => `${join(folder, archivePath(shot))} true`).toSorted());
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(other).mtimeMs).toBe(keptAt);
  });

  it('stops when it is interrupted, and leaves no incomplete file', async () => {
    const large = seriesShots({ sources: [10, 11], fromMs: TIME, toMs: TIME + 60_000, cadenceMs: 20_000, size: 1024 });
    const target = join(folder, 'interrupted');
    const interruption = new AbortController();
    const made = makeArchive(large, target, { concurrency: 2, signal: interruption.signal, onFile: () => interruption.abort() });
    await expect(made).rejects.toThrow('aborted');
    const names = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jp2'));
    expect(names.length).toBeLessThan(large.length);
    for (const name of names) expect(readBoxes(readFileSync(join(target, name))).codestream).toBeTruthy();
  });

  it('gives SWAP images a palette in the years in which the real files had one', async () => {
    const paletteOn = async (timeMs: number) => readBoxes(await imageFile({ sourceId: 32, timeMs, size: 64 })).palette;
    expect(await paletteOn(Date.UTC(2013, 4, 10))).toBeTruthy();
    expect(await paletteOn(Date.UTC(2024, 4, 10))).toBeFalsy();
  });
});

it('npm run sample prints its usage', async () => {
  const { code, stdout } = await runCommand('demo/sample.ts', ['--help'], {});
  expect(code).toBe(0);
  for (const flag of ['--out', '--sources', '--from', '--to', '--cadence', '--size']) expect(stdout).toContain(flag);
});

it.each([
  [['--size', '1024'], 'Expected a directory for --out, got nothing.'],
  [['--out', 'x', '--size', '7'], 'Expected a whole number from 64 to 4096 for --size, got 7.'],
  [['--out', 'x', '--cadence', '1.5'], 'for --cadence, got 1.5.'],
  [['--out', 'x', '--sources', '10,36'], 'for --sources, got 10,36.'],
  [['--out', 'x', '--from', 'yesterday'], 'for --from, got yesterday.'],
  [['--out', 'x', '--from', '2024-05-10', '--to', '2024-05-09'], 'for --to, got 2024-05-09.'],
  [['--out', 'x', '--color'], "'--color'"],
])('npm run sample refuses %j and names the option', async (args, sentence) => {
  const { code, stderr } = await runHere('demo/sample.ts', args);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
});

describe('recent images of the sample', () => {
  const FIVE_MINUTES_MS = 300_000;
  const startMs = Date.UTC(2026, 10, 28, 9, 58, 51);

  it.each([10, 14])('cover source %i in any five minutes two weeks and 15 days before any time of the next day', (sourceId) => {
    const additions = Array.from({ length: 72 }, (_, i) => recentArchive(startMs + (i + 1) * 20 * 60_000, true));
    const shots = [...recentArchive(startMs), ...additions.flat()];
    const times = [...new Set(shots.filter((shot) => shot.sourceId === sourceId).map(({ timeMs }) => timeMs))];
    for (const daysAgo of [14, 15]) {
      for (let nowMs = startMs; nowMs < startMs + 86_400_000; nowMs += 7 * 60_000) {
        for (const fromMs of [nowMs - daysAgo * 86_400_000, nowMs - daysAgo * 86_400_000 - FIVE_MINUTES_MS]) {
          const found = times.filter((timeMs) => timeMs >= fromMs && timeMs <= fromMs + FIVE_MINUTES_MS);
          expect(found.length).toBeGreaterThanOrEqual(sourceId === 10 && daysAgo === 15 ? MOVIE_LIMITS.leastImages : 2);
        }
      }
    }
  });

  it('stay few and small', () => {
    expect([recentArchive(startMs).length, recentArchive(startMs, true).length]).toEqual([100, 64]);
    expect(Math.max(...recentArchive(startMs).map(({ size }) => size))).toBe(512);
  });
});
