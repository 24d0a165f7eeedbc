// Parts of a header that name its scaling to bytes: program and setup, never the datasource, which has files of several (docs/measure.md).
import { numberIn } from '../geometry.ts';
import type { ByteLaw } from './law.ts';

/** The parts of an XML header that name its scaling to bytes. */
export interface LawHeader {
  /** FITS keywords and notes of the producer, in upper case. */
  readonly keywords: ReadonlyMap<string, string>;
  /** All texts of HV_COMMENT, which can appear twice. */
  readonly comment: string;
  /** Whether any HV_QUICKLOOK says TRUE. */
  readonly isQuicklook: boolean;
}

/** Circle in FITS pixels outside of which there is no data. */
export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export function positive(header: LawHeader, keyword: string): number | null {
  const value = numberIn(header.keywords, keyword);
  return value !== null && value > 0 ? value : null;
}

const WRITTEN = /\bat \w{3} (\w{3}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})/;
const CREATED = /Creation Time\s*:\s*(\d{4}-\d{2}-\d{2}T[\d:.]+)Z?/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Time at which the file was written, by its comment, in ms since 1970; null where it does not tell. */
export function writtenAtMs({ comment }: LawHeader): number | null {
  const [, month, day, hours, minutes, seconds, year] = WRITTEN.exec(comment) ?? [];
  if (month !== undefined) {
    return Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hours), Number(minutes), Number(seconds));
  }
  const created = CREATED.exec(comment)?.[1];
  const ms = created === undefined ? Number.NaN : Date.parse(`${created}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** The setup that a file of jp2gen names, with its version, such as `hvs_version5.pro` and `5.0`. */
export function setupOf({ keywords, comment }: LawHeader): { readonly name: string; readonly version: string } {
  const [, named = '', numbered = ''] = /\b(hvs_\w+)\.pro \(version ([\d.]+?)\.?\)/.exec(comment) ?? [];
  const name = keywords.get('HV_HVS_DETAILS_FILENAME')?.replace(/\.pro$/, '') ?? named;
  return { name, version: keywords.get('HV_HVS_DETAILS_FILENAME_VERSION') ?? numbered };
}

/** The disc around the Sun's centre by RSUN_OBS; null without it. */
export function discOf(header: LawHeader): Disc | null {
  const [radius, scale] = [positive(header, 'RSUN_OBS'), positive(header, 'CDELT1')];
  const [x, y] = [numberIn(header.keywords, 'CRPIX1'), numberIn(header.keywords, 'CRPIX2')];
  return radius === null || scale === null || x === null || y === null ? null : { x, y, radius: radius / scale };
}

/** Least and greatest value of an image, by its header; null where it does not tell. */
type Extremes = Pick<ByteLaw, 'least' | 'greatest'>;

/** DATAMIN and DATAMAX over the exposure, which stand for an unknown value where they are 0. */
export function extremesOf({ keywords }: LawHeader, exposure: number): Extremes {
  const over = (keyword: string) => {
    const value = numberIn(keywords, keyword);
    return value === null || value === 0 ? null : value / exposure;
  };
  return { least: over('DATAMIN'), greatest: over('DATAMAX') };
}

/** The extremes as ends of intervals, which contain the scale from `lo` to `hi`. */
export function endsOf({ least, greatest }: Extremes, lo: number, hi: number): Extremes {
  return {
    least: least === null ? null : Math.min(least, lo),
    greatest: greatest === null ? null : Math.max(greatest, hi),
  };
}
