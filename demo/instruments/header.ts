// The XML header of a sample image: the FITS keywords of its mission, and a statement that it is synthetic.
import { escapeXml } from '../../src/util/markup.ts';
import type { Exposure, Instrument, Keywords } from './instrument.ts';

const ORIGIN = 'helioedge sample (synthetic)';
export const HONESTY =
  'Procedural picture made by the helioedge sample program. It is not an observation and shows no real event.';

/** Keywords and notes on the law of the values. */
interface Stated {
  readonly fits: Keywords;
  readonly notes: Keywords;
}

/** Text of the XML box. */
export function xmlHeader(instrument: Instrument, exposure: Exposure, stated: Stated = { fits: {}, notes: {} }): string {
  const notes = { HV_ROTATION: 0, ...instrument.notes, ...stated.notes, HV_COMMENT: HONESTY, HV_SUPPORTED: 'TRUE' };
  const fits = { ...commonKeywords(instrument, exposure), ...instrument.keywords(exposure), ...stated.fits, COMMENT: HONESTY };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<meta>\n<fits>\n${elements(fits)}</fits>\n<helioviewer>\n${elements(notes)}</helioviewer>\n</meta>\n`;
}

function commonKeywords(instrument: Instrument, { framing, pointing, shot }: Exposure): Keywords {
  const unit = instrument.unit ?? 'arcsec';
  const scale = unit === 'deg' ? framing.scaleArcsecPerPixel / 3600 : framing.scaleArcsecPerPixel;
  return {
    SIMPLE: 1,
    BITPIX: 8,
    NAXIS: 2,
    NAXIS1: framing.width,
    NAXIS2: framing.height,
    ORIGIN: ORIGIN,
    DATE: `${isoMs(shot.timeMs)}Z`,
    CTYPE1: 'HPLN-TAN',
    CTYPE2: 'HPLT-TAN',
    CUNIT1: unit,
    CUNIT2: unit,
    CDELT1: scale,
    CDELT2: scale,
    CRPIX1: Number((framing.sunX + pointing[0] / framing.scaleArcsecPerPixel).toFixed(5)),
    CRPIX2: Number((framing.sunY + pointing[1] / framing.scaleArcsecPerPixel).toFixed(5)),
    CRVAL1: pointing[0],
    CRVAL2: pointing[1],
    CROTA: 0,
  };
}

/** `2024-05-10T12:00:09.350` */
export function isoMs(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 23);
}

function elements(keywords: Keywords): string {
  return Object.entries(keywords)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>\n`)
    .join('');
}
