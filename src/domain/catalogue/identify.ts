// Identifies the datasource of an image from its FITS header, and from its archive name where the header is incomplete.
import { sourceOfFileName } from './archive-name.ts';
import type { DataSource, HeaderRule, SourceHeader } from './datasource.ts';
import { headerRules, imageSources } from './sources.ts';

type Identification = { readonly sourceId: number } | { readonly refusal: string };

/** Header spellings of each level, top down, in lower case. */
function headerSpellings(source: DataSource): string[][] {
  const byLabel = new Map<string, string[]>();
  for (const level of source.levels)
    byLabel.set(level.label, [...(byLabel.get(level.label) ?? []), level.fitsName.toLowerCase()]);
  return [...byLabel.values()];
}

const spellings = imageSources.map((source) => ({ source, levels: headerSpellings(source) }));

/** Levels of the source according to its header; null for an unknown mission. */
function headerLevels(header: SourceHeader): ReturnType<HeaderRule> {
  const upper = (keyword: string) => header.fits.get(keyword)?.trim().toUpperCase() ?? '';
  const telescope = upper('TELESCOP') || upper('OBSRVTRY');
  for (const rule of headerRules) {
    const levels = rule(header, telescope, upper('INSTRUME'));
    if (levels) return levels;
  }
  return null;
}

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
    return { refusal: `The header is of no known datasource: it has ${known.join(', ') || 'no identifying keywords'}.` };
  }
  const refusal = source.refusalOf?.(header.fits);
  return refusal ? { refusal } : { sourceId: source.id };
}
