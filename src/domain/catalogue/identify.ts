// Which datasource an image belongs to, from its FITS header; from its archive name where the header does not say.

import { type DataSource, fourLevelPath } from './datasource.ts';
import { headerLevels, type SourceHeader } from './header-levels.ts';
import { refusalOf } from './refusals.ts';
import { allSources } from './sources.ts';

export type Identification = { readonly sourceId: number } | { readonly refusal: string };

const GROUPS_FROM = 10000;
/** `<time>__<observatory>_<instrument>_<detector>_<measurement>.jp2` */
const ARCHIVE_NAME = /^\d{4}_\d\d_\d\d__\d\d_\d\d_\d\d(?:_\d+)?__(.+)\.jp2$/i;
/** KCor files are named by product, not by wavelength. */
const KCOR_NAME = 'mlso_kcor_kcor';
const KCOR_ID = 83;

const imageSources = allSources.filter((source) => source.id < GROUPS_FROM);

/** The spellings that headers use on each level, top down. */
function headerSpellings(source: DataSource): string[][] {
  const byLabel = new Map<string, string[]>();
  for (const level of source.levels)
    byLabel.set(level.label, [...(byLabel.get(level.label) ?? []), level.fitsName.toLowerCase()]);
  return [...byLabel.values()];
}

function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[- ]/g, '_');
}

/** How the archive calls a source: by the names of its levels, or by their spellings in headers. */
function archiveNames(source: DataSource): string[] {
  const path = fourLevelPath(source);
  if (path[0]!.name === 'RHESSI') return [`rhessi_rhessi_${path[3]!.fitsName}_${path[2]!.name}`].map(normaliseName);
  return [path.map((level) => level.name), path.map((level) => level.fitsName)].map((names) => normaliseName(names.join('_')));
}

const spellings = imageSources.map((source) => ({ source, levels: headerSpellings(source) }));
const byArchiveName = new Map(imageSources.flatMap((source) => archiveNames(source).map((name) => [name, source] as const)));

function sourceOfName(fileName: string): DataSource | undefined {
  const name = normaliseName(ARCHIVE_NAME.exec(fileName)?.[1] ?? '');
  return name.startsWith(KCOR_NAME) ? imageSources.find((source) => source.id === KCOR_ID) : byArchiveName.get(name);
}

/** Sources whose levels have these values; one that is undefined fits any. */
function sourcesWith(values: readonly (string | undefined)[]): DataSource[] {
  return spellings
    .filter(({ levels }) => {
      const fits = (value: string | undefined, i: number) => value === undefined || levels[i]!.includes(value.toLowerCase());
      return levels.length === values.length && values.every(fits);
    })
    .map(({ source }) => source);
}

function identifyByHeader(header: SourceHeader, fileName: string): DataSource | undefined {
  const values = headerLevels(header);
  const named = sourceOfName(fileName);
  if (values === null) return named;
  const candidates = sourcesWith(values);
  if (candidates.length === 1 && !values.includes(undefined)) return candidates[0];
  return candidates.find((source) => source === named);
}

/**
 * Finds the datasource of an image. The header decides; where it lacks a value, or is of no known mission, the archive
 * name may fill in, but never against what the header says. Otherwise, and for images that are not to be shown, a sentence
 * gives the reason.
 */
export function identifySource(header: SourceHeader, fileName: string): Identification {
  const source = identifyByHeader(header, fileName);
  if (!source) {
    const known = ['TELESCOP', 'OBSRVTRY', 'INSTRUME', 'DETECTOR', 'WAVELNTH'].flatMap((keyword) => {
      const value = header.fits.get(keyword);
      return value === undefined ? [] : [`${keyword} ${value.slice(0, 40)}`];
    });
    return {
      refusal: `Expected the header of a known datasource for the image, got ${known.join(', ') || 'none of its keywords'}.`,
    };
  }
  const refusal = refusalOf(source, header.fits);
  return refusal ? { refusal } : { sourceId: source.id };
}
