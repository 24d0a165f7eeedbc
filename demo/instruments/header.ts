// The XML header of a sample image, with the keywords and file names that several missions share, and a statement that it is synthetic.
import { escapeXml } from '../../src/platform/util/markup.ts';
import type { Exposure, Instrument, Keywords } from './instrument.ts';

/** Characters of ISO 8601 up to the second. */
export const TO_SECONDS = 19;

/** File names such as `2024_05_10__12_00_09_350__SDO_AIA_AIA_171.jp2`. @param length Characters of the time in ISO 8601 */
export const archiveName = (rest: string, length?: number) => (timeMs: number) =>
  `${isoMs(timeMs).slice(0, length).replace('T', '__').replace(/[-:.]/g, '_')}__${rest}.jp2`;

/** `20240510T120009350` */
export const compactTime = (timeMs: number) => isoMs(timeMs).replace(/[-:.]/g, '');

/** DATE-OBS in the form of most missions. */
export const dated = ({ shot }: Exposure): Keywords => ({ 'DATE-OBS': isoMs(shot.timeMs), DATE_OBS: isoMs(shot.timeMs) });

/** Distance in metres and the point below the observer, in degrees. */
export const distance = ({ observer }: Exposure): Keywords => ({
  DSUN_OBS: Math.round(observer.distanceM),
  CRLN_OBS: Number(observer.longitudeDeg.toFixed(5)),
  CRLT_OBS: Number(observer.latitudeDeg.toFixed(5)),
});

const radius = (name: 'limbPixels' | 'limbArcsec', digits: number) => (keyword: string) => (exposure: Exposure) => ({
  [keyword]: Number(exposure[name].toFixed(digits)),
});
export const [radiusPixels, radiusArcsec] = [radius('limbPixels', 4), radius('limbArcsec', 5)];

/** The keywords of an exposure: observatory, instrument and `own`, then those of each part in turn. */
export const keywords =
  (TELESCOP: string, INSTRUME: string, own: Keywords, ...parts: readonly ((exposure: Exposure) => Keywords)[]) =>
  (exposure: Exposure): Keywords =>
    Object.assign({ TELESCOP, INSTRUME, ...own }, ...parts.map((part) => part(exposure)));

const ORIGIN = 'helioedge sample (synthetic)';
export const HONESTY =
  'Procedural picture made by the helioedge sample program. It is not an observation and shows no real event.';

/** Text of the XML box. @param stated Keywords and notes on the law of the values */
export function xmlHeader(
  instrument: Instrument,
  exposure: Exposure,
  stated: { readonly fits: Keywords; readonly notes: Keywords } = { fits: {}, notes: {} },
): string {
  const notes = { HV_ROTATION: 0, ...instrument.notes, ...stated.notes, HV_COMMENT: HONESTY, HV_SUPPORTED: 'TRUE' };
  const fits = { ...commonKeywords(instrument, exposure), ...instrument.keywords(exposure), ...stated.fits, COMMENT: HONESTY };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<meta>\n<fits>\n${elements(fits)}</fits>\n<helioviewer>\n${elements(notes)}</helioviewer>\n</meta>\n`;
}

function commonKeywords(instrument: Instrument, { framing, pointing, shot }: Exposure): Keywords {
  const unit = instrument.unit ?? 'arcsec';
  const scale = unit === 'deg' ? framing.scaleArcsecPerPixel / 3600 : framing.scaleArcsecPerPixel;
  return {
    ...{ SIMPLE: 1, BITPIX: 8, NAXIS: 2, NAXIS1: framing.width, NAXIS2: framing.height },
    ...{ ORIGIN, DATE: `${isoMs(shot.timeMs)}Z` },
    ...{ CTYPE1: 'HPLN-TAN', CTYPE2: 'HPLT-TAN', CUNIT1: unit, CUNIT2: unit, CDELT1: scale, CDELT2: scale },
    CRPIX1: Number((framing.sunX + pointing[0] / framing.scaleArcsecPerPixel).toFixed(5)),
    CRPIX2: Number((framing.sunY + pointing[1] / framing.scaleArcsecPerPixel).toFixed(5)),
    CRVAL1: pointing[0],
    CRVAL2: pointing[1],
    CROTA: 0,
  };
}

/** `2024-05-10T12:00:09.350` */
export const isoMs = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 23);

const elements = (keywords: Keywords): string =>
  Object.entries(keywords)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>\n`)
    .join('');
