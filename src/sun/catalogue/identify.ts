// Identifies the datasource of an image from its FITS header, and from its archive name where the header is incomplete.
import { sourceOfFileName } from './archive-name.ts';
import type { DataSource, HeaderRule, SourceHeader } from './datasource.ts';
import { headerRules, imageSources } from './sources.ts';

type Identification = { readonly sourceId: number } | { readonly refusal: string };

const headerSpellings = ({ levels }: DataSource): string[][] =>
  [...Map.groupBy(levels, ({ label }) => label).values()].map((rows) => rows.map(({ fitsName }) => fitsName.toLowerCase()));

const spellings = imageSources.map((source) => ({ source, levels: headerSpellings(source) }));

const products = imageSources.flatMap((source) => (source.product ? [{ source, pattern: new RegExp(source.product, 'i') }] : []));

const sourceOfName = (name: string): DataSource | undefined =>
  sourceOfFileName(name) ?? products.find(({ pattern }) => pattern.test(name))?.source;

/** Keywords that identify an image, and their substitutes by the producer of the JP2. */
const STAND_INS = { TELESCOP: 'HV_OBSERVATORY', INSTRUME: 'HV_INSTRUMENT', DETECTOR: 'HV_DETECTOR' } as const;

function withStandIns({ fits, helioviewer }: SourceHeader): SourceHeader {
  const found = Object.entries(STAND_INS).flatMap(([keyword, own]): [string, string][] => {
    const value = helioviewer.get(own);
    return value === undefined ? [] : [[keyword, value]];
  });
  return { fits: new Map([...found, ...fits]), helioviewer };
}

/** Levels of the source according to its header; null for an unknown mission. */
function headerLevels(header: SourceHeader, named: DataSource | undefined): ReturnType<HeaderRule> {
  const upper = (keyword: string) => header.fits.get(keyword)?.trim().toUpperCase() ?? '';
  const telescope = [upper('TELESCOP'), upper('OBSRVTRY')].filter(Boolean).join('/');
  for (const rule of headerRules) {
    const levels = rule(header, telescope, upper('INSTRUME'), named);
    if (levels) return levels;
  }
  return null;
}

/** Sources whose levels have these values; undefined matches any value. */
const sourcesWith = (values: readonly (string | undefined)[]): DataSource[] =>
  spellings
    .filter(({ levels }) => {
      const matches = (value: string | undefined, i: number) => value === undefined || levels[i]!.includes(value.toLowerCase());
      return levels.length === values.length && values.every(matches);
    })
    .map(({ source }) => source);

function identifyByHeader(header: SourceHeader, fileName: string): DataSource | undefined {
  const named = sourceOfName(fileName) ?? sourceOfName(header.fits.get('FILENAME') ?? '');
  const values = headerLevels(withStandIns(header), named);
  if (values === null) return named;
  const candidates = sourcesWith(values);
  if (candidates.length === 1 && !values.includes(undefined)) return candidates[0];
  return candidates.find((source) => source === named);
}

/** Identifies an image by codes of its header, then by file name, then by prose: names fill gaps, and never contradict a code. */
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
