// Styles of JPX files, and their names, which are those of the original service.
import { createHash } from 'node:crypto';
import { type DataSource, fourLevelPath, pathOf } from '../../sun/catalogue/datasource.ts';
import { formatIso } from '../../sun/time.ts';

/** `standard`: ISO/IEC 15444-2, metadata directly behind its frame. `2016`: as the first solar tools wrote it, for programs that need it. */
export const JPX_STYLES = ['standard', '2016'] as const;
export type JpxStyle = (typeof JPX_STYLES)[number];

export interface JpxNaming {
  readonly source: DataSource;
  /** In v1 every source had four levels. */
  readonly hasFourLevels: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly cadenceSeconds?: number | undefined;
  readonly linked: boolean;
}

/** Includes a fraction of a second other than 0, so that different times have different names. */
function timeInName(ms: number): string {
  const fraction = new Date(ms).toISOString().slice(19, 23);
  return formatIso(ms)
    .replaceAll(':', '.')
    .replace('Z', fraction === '.000' ? 'Z' : `${fraction}Z`);
}

const sanitised = (name: string): string => name.replaceAll(' ', '-').replace(/[^A-Za-z0-9._-]/g, '_');

/** `SDO_AIA_171_F2014-01-01T00.00.00Z_T2014-01-01T00.45.00ZB60L`: source, from, to, cadence, linked; without `.jpx`. */
export function jpxName({ source, hasFourLevels, startMs, endMs, cadenceSeconds, linked }: JpxNaming): string {
  const levels = (hasFourLevels ? fourLevelPath(source) : pathOf(source)).map((level) => level.name);
  const cadence = cadenceSeconds ? `B${cadenceSeconds}` : '';
  return sanitised(`${[...levels, `F${timeInName(startMs)}`, `T${timeInName(endMs)}`].join('_')}${cadence}${linked ? 'L' : ''}`);
}

/** Name of a file of intervals, with the MD5 of their times. */
export function intervalsName(naming: JpxNaming, startTimes: readonly number[], endTimes: readonly number[]): string {
  const digest = createHash('md5')
    .update(`${startTimes.join(',')}>>${endTimes.join(',')}`)
    .digest('hex');
  return `${jpxName(naming)}.CMP${digest}`;
}
