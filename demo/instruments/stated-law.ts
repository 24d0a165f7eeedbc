// The laws by which sample images of AIA and HMI are written: the grey levels of the synthetic Sun are those of known counts, which the
// header states as jp2gen does, with the statistics of the counts.
import { type ByteLaw, valueAt } from '../../src/domain/measurement/law.ts';
import { LINEAR, truncatedLaw } from '../../src/domain/measurement/recipe.ts';
import { AIA_SCALES } from '../../src/domain/measurement/sdo.ts';
import { LOOKS } from '../sun/looks.ts';
import type { Exposure, Keywords, SampleLaw } from './instrument.ts';

/** Levels of BYTSCL; the picture rounds where BYTSCL truncates, so that its levels are half a level higher. */
const LEVELS = 255.9999;
const ROUNDING = 0.5;
const AIA_EXPOSURE = 2;
/** Counts of AIA are whole; those of HMI have this many digits. */
const DIGITS = 4;

/** The value behind a grey level before it is rounded. */
export const countsOf = ({ law }: Pick<SampleLaw, 'law'>, grey: number): number => valueAt(law, (grey + ROUNDING) / LEVELS);

const SCALED = {
  linear: ({ lo, hi }: ByteLaw) => `BYTSCL(IMG,MIN=${lo},MAX=${hi})`,
  log: ({ lo, hi }: ByteLaw) => `BYTSCL(ALOG10(IMG),MIN=ALOG10(${lo}),MAX=ALOG10(${hi}))`,
  root: ({ transfer, lo, hi }: ByteLaw) =>
    transfer.kind === 'root' && transfer.offset !== 0
      ? 'BYTSCL(((IMG-5)>.1)^.5<40>1,MIN=1,MAX=40)'
      : `BYTSCL(SQRT(IMG),MIN=SQRT(${lo}),MAX=SQRT(${hi}))`,
};
const scaled = (law: ByteLaw) => `IMG = ${SCALED[law.transfer.kind](law)}`;

/** The law of the real channel. */
export function aiaLaw(wavelength: string): SampleLaw | undefined {
  const scale = AIA_SCALES[wavelength];
  if (!scale) return undefined;
  const law = truncatedLaw({ name: `sample AIA ${wavelength}`, unit: 'DN/s', ...scale });
  return { law, exposure: AIA_EXPOSURE, isDisc: false, steps: ['IMG = IMG/image_exposure_time', scaled(law)] };
}

/** DN/s of the brightest continuum. */
const CONTINUUM_TOP = 60_000;
const GREY_OF_ZERO = 128;

/** Gauss at both ends, by the picture's levels a gauss. */
function magnetogramEnds(): { readonly lo: number; readonly hi: number } {
  const gauss = (grey: number) => Number(((grey - GREY_OF_ZERO) / LOOKS.magnetogram.greyPerGauss).toFixed(DIGITS));
  return { lo: gauss(-ROUNDING), hi: gauss(LEVELS - ROUNDING) };
}

export function hmiLaw(isMagnetogram: boolean): SampleLaw {
  const ends = isMagnetogram ? magnetogramEnds() : { lo: 0, hi: CONTINUUM_TOP };
  const law = truncatedLaw({ name: 'sample HMI', unit: isMagnetogram ? 'G' : 'DN/s', transfer: LINEAR, ...ends });
  const mask = 'SS2 = CIRCLE_MASK(IMG, HD.CRPIX1, HD.CRPIX2, "GE", HD.RSUN_OBS/HD.CDELT1)';
  return { law, exposure: null, isDisc: true, steps: [mask, scaled(law)] };
}

/** The counts of the pixels that have data, in ascending order. */
function sortedCounts(stated: SampleLaw, { framing, limbPixels }: Exposure, greys: Float32Array): Float64Array {
  const { width, height, sunX, sunY } = framing;
  const isInside = (i: number) => Math.hypot((i % width) + 1 - sunX, height - Math.floor(i / width) - sunY) < limbPixels;
  const kept = stated.isDisc ? greys.filter((_, i) => isInside(i)) : greys;
  return Float64Array.from(kept, (grey) => countsOf(stated, grey)).sort();
}

/** FITS keywords on the counts, and notes on the law. @param greys Levels before they are rounded */
export function statedLaw(stated: SampleLaw, exposure: Exposure, greys: Float32Array): { fits: Keywords; notes: Keywords } {
  const counts = sortedCounts(stated, exposure, greys);
  const seconds = stated.exposure ?? 1;
  const figure = (value: number) => (stated.exposure === null ? Number(value.toFixed(DIGITS)) : Math.round(value * seconds));
  const mean = counts.reduce((sum, value) => sum + value, 0) / counts.length;
  const { law } = stated;
  return {
    fits: {
      ...(stated.exposure === null ? { BUNIT: law.unit === 'G' ? 'Gauss' : law.unit } : { EXPTIME: seconds }),
      DATAVALS: counts.length,
      DATAMIN: figure(counts[0]!),
      DATAMAX: figure(counts.at(-1)!),
      DATAMEDN: figure(counts[counts.length >> 1]!),
      DATAMEAN: Number((mean * seconds).toFixed(DIGITS)),
    },
    notes: {
      HV_IMG_DMIN: law.lo,
      HV_IMG_DMAX: law.hi,
      HV_IMG_FUNCTION: ['Two-dimensional image data IMG', ...stated.steps].join(' : '),
    },
  };
}
