// Identifies the datasource of an image from its FITS header, and from its archive name where the header is incomplete.
import { sourceOfFileName } from './archive-name.ts';
import type { DataSource } from './datasource.ts';
import { headerLevels, type SourceHeader } from './header-levels.ts';
import { allSources } from './sources.ts';

export type Identification = { readonly sourceId: number } | { readonly refusal: string };

const GROUPS_FROM = 10000;

const imageSources = allSources.filter((source) => source.id < GROUPS_FROM);

/** Header spellings of each level, top down, in lower case. */
function headerSpellings(source: DataSource): string[][] {
  const byLabel = new Map<string, string[]>();
  for (const level of source.levels)
    byLabel.set(level.label, [...(byLabel.get(level.label) ?? []), level.fitsName.toLowerCase()]);
  return [...byLabel.values()];
}

const spellings = imageSources.map((source) => ({ source, levels: headerSpellings(source) }));
/** Sources whose levels have these values; undefined matches any value. */
function sourcesWith(values: readonly (string | undefined)[]): DataSource[] {
  return spellings
    .filter(({ levels }) => {
      const matches = (value: string | undefined, i: number) => value === undefined || levels[i]!.includes(value.toLowerCase());
      return levels.length === values.length && values.every(matches);
    })
    .map(({ source }) => source);
}

function identifyByHeader(header: SourceHeader, fileName: string): DataSource | undefined {
  const values = headerLevels(header);
  const named = sourceOfFileName(fileName);
  if (values === null) return named;
  const candidates = sourcesWith(values);
  if (candidates.length === 1 && !values.includes(undefined)) return candidates[0];
  return candidates.find((source) => source === named);
}

const LEAST_AIA_PERCENT = 50;

/** HCOMP_SF of images that are compressed too coarsely, by source id. */
const LASCO_TOO_COARSE: Readonly<Record<number, number>> = { 4: 32, 5: 64 };

function aiaRefusal(fits: ReadonlyMap<string, string>): string | null {
  if (fits.get('IMG_TYPE')?.toUpperCase() === 'DARK') return 'Expected an image of the Sun for IMG_TYPE, got DARK.';
  const percent = fits.get('PERCENTD');
  if (percent !== undefined && Number(percent) < LEAST_AIA_PERCENT) {
    return `Expected at least ${LEAST_AIA_PERCENT} per cent of the pixels for PERCENTD, got ${percent}.`;
  }
  const filter = fits.get('WAVE_STR');
  return filter?.endsWith('_OPEN') ? `Expected a filter for WAVE_STR, got ${filter}.` : null;
}

/** Refuses darks, incomplete images, wrong filters and thumbnails; null for an image that can be shown. */
function refusalOf(source: DataSource, fits: ReadonlyMap<string, string>): string | null {
  if (source.archiveDirectory === 'AIA') return aiaRefusal(fits);
  const tooCoarse = LASCO_TOO_COARSE[source.id];
  if (tooCoarse === undefined || Number(fits.get('HCOMP_SF')) !== tooCoarse) return null;
  return `Expected a compression factor other than ${tooCoarse} for HCOMP_SF, got ${fits.get('HCOMP_SF')}.`;
}

/**
 * Identifies the datasource of an image. The archive name fills in values that the header lacks, and identifies images of
 * unknown missions, but never contradicts the header. Images that cannot be identified or must not be shown are refused
 * with a sentence.
 */
export function identifySource(header: SourceHeader, fileName: string): Identification {
  const source = identifyByHeader(header, fileName);
  if (!source) {
    const known = ['TELESCOP', 'OBSRVTRY', 'INSTRUME', 'DETECTOR', 'WAVELNTH'].flatMap((keyword) => {
      const value = header.fits.get(keyword);
      return value === undefined ? [] : [`${keyword} ${value.slice(0, 40)}`];
    });
    return {
      refusal: `Expected the header of a known datasource for the image, got ${known.join(', ') || 'no identifying keywords'}.`,
    };
  }
  const refusal = refusalOf(source, header.fits);
  return refusal ? { refusal } : { sourceId: source.id };
}
