// The record of what a render version looks like (blessed.json): hashes of the colour tables and of the golden images.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { applyBrightness, brightnessOn, colourTable } from '../../src/picture/colour/palette.ts';
import { TABLES } from '../../src/picture/colour/tables.ts';
import { RENDER_VERSION } from '../../src/picture/raster/render-version.ts';
import { findSource } from '../../src/sun/catalogue/sources.ts';

export interface Blessed {
  readonly renderVersion: number;
  /** By the names of the pictures and tables. */
  readonly hashes: Readonly<Record<string, string>>;
}

const record = resolve(import.meta.dirname, 'blessed.json');
const images = resolve(import.meta.dirname, 'images');
const versionFile = resolve(import.meta.dirname, '../../src/picture/raster/render-version.ts');
const HASH_DIGITS = 16;

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);

/** Brightness of AIA 304 on the first day of each year, applied to its table. */
function brightened(): Uint8Array {
  const { brightness, colourTable: table } = findSource(13)!;
  const years = Array.from({ length: 11 }, (_, i) => brightnessOn(brightness!, Date.UTC(2010 + i, 0, 1)));
  return Buffer.concat(years.map((factor) => applyBrightness(colourTable(table!), factor)));
}

/** The record of the code and the golden images as they are. */
export function present(): Blessed {
  const tables = Object.keys(TABLES).map((name) => [`table ${name}`, hashOf(colourTable(name))]);
  const goldens = readdirSync(images).map((file) => [file, hashOf(readFileSync(resolve(images, file)))]);
  const hashes = Object.fromEntries([...tables, ['brightness of AIA 304', hashOf(brightened())], ...goldens].sort());
  return { renderVersion: RENDER_VERSION, hashes };
}

export const recorded = (): Blessed => JSON.parse(existsSync(record) ? readFileSync(record, 'utf8') : '{"hashes":{}}');

/** Names whose pixels differ. New names change no stored picture. */
export const changedNames = (before: Blessed, after: Blessed): string[] =>
  Object.keys(before.hashes).filter((name) => before.hashes[name] !== after.hashes[name]);

/** Records the present state, under a raised RENDER_VERSION if it shows other pixels than the recorded one under the same version. */
export function blessPresent(): string {
  const [before, after] = [recorded(), present()];
  const changed = changedNames(before, after);
  const isRaised = changed.length > 0 && before.renderVersion === RENDER_VERSION;
  const renderVersion = isRaised ? RENDER_VERSION + 1 : RENDER_VERSION;
  if (isRaised) {
    const source = readFileSync(versionFile, 'utf8');
    writeFileSync(versionFile, source.replace(/RENDER_VERSION = \d+/, `RENDER_VERSION = ${renderVersion}`));
  }
  writeFileSync(record, `${JSON.stringify({ ...after, renderVersion }, null, 2)}\n`);
  return isRaised
    ? `RENDER_VERSION is now ${renderVersion}, because of ${changed.join(', ')}`
    : `RENDER_VERSION stays ${renderVersion}`;
}
