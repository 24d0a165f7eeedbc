// Names of JPX files, as the original service gives them.
import { type DataSource, fourLevelPath, pathOf } from '../catalogue/datasource.ts';
import { formatIso } from '../time.ts';

export interface JpxNaming {
  readonly source: DataSource;
  /** v1 knew every source by four levels. */
  readonly hasFourLevels: boolean;
  /** The range as it was asked for, milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  /** As it was asked for. */
  readonly cadenceSeconds?: number | undefined;
  readonly linked: boolean;
}

/** Fractions of a second are written where there are some, so that other times have other names. */
function timeInName(ms: number): string {
  const fraction = new Date(ms).toISOString().slice(19, 23);
  return formatIso(ms)
    .replaceAll(':', '.')
    .replace('Z', fraction === '.000' ? 'Z' : `${fraction}Z`);
}

function sanitised(name: string): string {
  return name.replaceAll(' ', '-').replace(/[^A-Za-z0-9._-]/g, '_');
}

/** `SDO_AIA_171_F2014-01-01T00.00.00Z_T2014-01-01T00.45.00ZB60L`: source, from, to, cadence, linked; without `.jpx`. */
export function jpxName({ source, hasFourLevels, startMs, endMs, cadenceSeconds, linked }: JpxNaming): string {
  const levels = (hasFourLevels ? fourLevelPath(source) : pathOf(source)).map((level) => level.name);
  const cadence = cadenceSeconds ? `B${cadenceSeconds}` : '';
  return sanitised(`${[...levels, `F${timeInName(startMs)}`, `T${timeInName(endMs)}`].join('_')}${cadence}${linked ? 'L' : ''}`);
}

/** The name of a file of intervals. `digest`: 32 hexadecimal digits of `intervalsText`. */
export function intervalsName(naming: JpxNaming, digest: string): string {
  return `${jpxName(naming)}.CMP${digest}`;
}

/** What the name of a file of intervals has a digest of (MD5 in the original). */
export function intervalsText(startTimes: readonly number[], endTimes: readonly number[]): string {
  return `${startTimes.join(',')}>>${endTimes.join(',')}`;
}
