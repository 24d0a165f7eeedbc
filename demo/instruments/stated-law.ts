// The laws by which sample images of AIA and HMI are written: their grey levels are known counts, which the header states as jp2gen does.
import { type ByteLaw, LINEAR, truncatedLaw, valueAt } from '../../src/sun/laws/law.ts';
import { AIA_SCALES } from '../../src/sun/laws/sdo.ts';
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

export function aiaLaw(wavelength: string): SampleLaw | undefined {
  const scale = AIA_SCALES[wavelength];
  if (!scale) return undefined;
  const law = truncatedLaw({ name: `sample AIA ${wavelength}`, unit: 'DN/s', ...scale });
  return { law, exposure: AIA_EXPOSURE, isDisc: false, steps: ['IMG = IMG/image_exposure_time', scaled(law)] };
}

/** DN/s of the brightest continuum. */
const CONTINUUM_TOP = 60_000;
const GREY_OF_ZERO = 128;

/** Gauss of a grey level, by the levels a gauss of the picture. */
const gaussOf = (grey: number) => Number(((grey - GREY_OF_ZERO) / LOOKS.magnetogram.greyPerGauss).toFixed(DIGITS));

export function hmiLaw(isMagnetogram: boolean): SampleLaw {
  const ends = isMagnetogram ? { lo: gaussOf(-ROUNDING), hi: gaussOf(LEVELS - ROUNDING) } : { lo: 0, hi: CONTINUUM_TOP };
  const law = truncatedLaw({ name: 'sample HMI', unit: isMagnetogram ? 'G' : 'DN/s', transfer: LINEAR, ...ends });
  const mask = 'SS2 = CIRCLE_MASK(IMG, HD.CRPIX1, HD.CRPIX2, "GE", HD.RSUN_OBS/HD.CDELT1)';
  return { law, exposure: null, isDisc: true, steps: [mask, scaled(law)] };
}

/** Grey levels of the pixels that have data. */
function measured({ isDisc }: SampleLaw, { framing, limbPixels }: Exposure, greys: Float32Array): Float32Array {
  if (!isDisc) return greys;
  const { width, height, sunX, sunY } = framing;
  const isInside = (i: number) => Math.hypot((i % width) + 1 - sunX, height - Math.floor(i / width) - sunY) < limbPixels;
  return greys.filter((_, i) => isInside(i));
}

const BUCKETS_A_LEVEL = 16;

/** The upper median of grey levels, by sorting those of one bucket alone: sorting all took as long as drawing the image. */
function medianOf(greys: Float32Array): number {
  const last = 256 * BUCKETS_A_LEVEL - 1;
  const bucketOf = (grey: number) => Math.max(0, Math.min(last, Math.floor(grey * BUCKETS_A_LEVEL)));
  const sizes = new Uint32Array(last + 1);
  for (const grey of greys) sizes[bucketOf(grey)]! += 1;
  let [bucket, below] = [0, 0];
  while (below + sizes[bucket]! <= greys.length >> 1) {
    below += sizes[bucket]!;
    bucket += 1;
  }
  return greys.filter((grey) => bucketOf(grey) === bucket).sort()[(greys.length >> 1) - below]!;
}

/** FITS keywords on the counts, and notes on the law. @param greys Levels before they are rounded */
export function statedLaw(stated: SampleLaw, exposure: Exposure, greys: Float32Array): { fits: Keywords; notes: Keywords } {
  const kept = measured(stated, exposure, greys);
  let [least, most, sum] = [kept[0]!, kept[0]!, 0];
  for (const grey of kept) {
    if (grey < least) least = grey;
    else if (grey > most) most = grey;
    sum += countsOf(stated, grey);
  }
  const seconds = stated.exposure ?? 1;
  const figure = (grey: number) => {
    const count = countsOf(stated, grey) * seconds;
    return stated.exposure === null ? Number(count.toFixed(DIGITS)) : Math.round(count);
  };
  const { law } = stated;
  return {
    fits: {
      ...(stated.exposure === null ? { BUNIT: law.unit === 'G' ? 'Gauss' : law.unit } : { EXPTIME: seconds }),
      DATAVALS: kept.length,
      DATAMIN: figure(least),
      DATAMAX: figure(most),
      DATAMEDN: figure(medianOf(kept)),
      DATAMEAN: Number(((sum / kept.length) * seconds).toFixed(DIGITS)),
    },
    notes: {
      HV_IMG_DMIN: law.lo,
      HV_IMG_DMAX: law.hi,
      HV_IMG_FUNCTION: ['Two-dimensional image data IMG', ...stated.steps].join(' : '),
    },
  };
}
