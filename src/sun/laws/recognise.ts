// The rules by which a header names its law; the first that matches decides.
import { isOblong, numberIn } from '../geometry.ts';
import type { LawHeader, Recognised, Transfer } from './law.ts';
import * as laws from './law.ts';
import { recogniseLwg, recogniseRob } from './observatories.ts';
import { AIA_SCALES, frameGates, recogniseAia, recogniseHmi } from './sdo.ts';

/** Steps of HV_IMG_FUNCTION, as jp2gen has them since February 2011. */
const SCALINGS: readonly (readonly [RegExp, Transfer])[] = [
  [/BYTSCL\(\(\(IMG-5\)>\.1\)\^\.5<40>1/i, laws.root(0.5, 5)],
  [/BYTSCL\(ALOG10\(/i, laws.LOG],
  [/BYTSCL\(SQRT\(/i, laws.SQUARE_ROOT],
  [/BYTSCL\(IMG/i, laws.LINEAR],
];
/** Ends of the scaling in 171, where HV_IMG_DMIN and HV_IMG_DMAX refer to the function. */
const ENDS_OF_171 = { lo: 6, hi: 1605 };
/** Ends that hold: given to BYTSCL, or forced by two pixels. */
const FIXED_ENDS = /MIN=|IMG\[0,0\]/i;

/** Rule 0a: function and ends are stated. */
function recogniseStated(header: LawHeader): Recognised {
  const { keywords } = header;
  const stated = keywords.get('HV_IMG_FUNCTION')!;
  const transfer = SCALINGS.find(([pattern]) => pattern.test(stated))?.[1];
  if (!transfer) return laws.refuse('unknown-recipe', 'The function that HV_IMG_FUNCTION states is not one that is known.');
  const [dmin, dmax] = [numberIn(keywords, 'HV_IMG_DMIN'), numberIn(keywords, 'HV_IMG_DMAX')];
  const of171 = transfer.kind === 'root' && transfer.offset !== 0;
  const { lo, hi } = of171 ? ENDS_OF_171 : { lo: dmin ?? Number.NaN, hi: dmax ?? Number.NaN };
  if (!(hi > lo) || (transfer.kind === 'log' && lo <= 0))
    return laws.missing('HV_IMG_DMIN and HV_IMG_DMAX', 'in ascending order');
  const isPerSecond = /IMG\/image_exposure_time/i.test(stated);
  const exposure = isPerSecond ? laws.positive(header, 'EXPTIME') : 1;
  if (exposure === null) return laws.missing('EXPTIME', 'above 0');
  const extremes = laws.extremesOf(header, exposure);
  const hasFixedEnds = FIXED_ENDS.test(stated);
  const law = laws.truncatedLaw({
    name: 'stated in the header',
    unit: isPerSecond ? 'DN/s' : (keywords.get('BUNIT') ?? 'DN'),
    transfer,
    lo,
    hi: hasFixedEnds || extremes.greatest === null ? hi : Math.min(hi, extremes.greatest),
    ...laws.endsOf(extremes, lo, hi),
  });
  const isMagnetogram = /magnetogram/i.test(keywords.get('CONTENT') ?? '');
  const gates = isMagnetogram ? [{ kind: 'zero' } as const] : frameGates(header, exposure);
  const channel = keywords.get('WAVELNTH')?.replace(/\.0*$/, '') ?? '';
  return {
    candidates: [
      {
        law,
        // Without statistics nothing confirms the law.
        status: hasFixedEnds && gates.length > 0 ? 'exact' : 'approximate',
        gates,
        lossy: isMagnetogram ? laws.LOSSY.magnetogram : (AIA_SCALES[channel]?.lossy ?? laws.LOSSY.faint),
        disc: /CIRCLE_MASK/i.test(stated) ? laws.discOf(header) : null,
        caveats: [],
      },
    ],
  };
}

/** Rule 0b: a linear scale, as JHelioviewer writes it. */
function recogniseLinear(header: LawHeader, zero: number, scale: number): Recognised {
  const unit = header.keywords.get('BUNIT') ?? 'DN';
  const [lo, hi] = [zero, zero + 255 * scale];
  const law = laws.truncatedLaw({ name: 'HV_ZERO and HV_SCALE', unit, transfer: laws.LINEAR, grid: { kind: 'rounded' }, lo, hi });
  return { candidates: [{ law, status: 'approximate', gates: [], lossy: laws.LOSSY.faint, disc: null, caveats: [] }] };
}

export function recognise(header: LawHeader): Recognised {
  const { keywords, comment } = header;
  const isResampled = (axis: 1 | 2) => {
    const [stated, compressed] = [numberIn(keywords, `NAXIS${axis}`), numberIn(keywords, `ZNAXIS${axis}`)];
    return stated !== null && compressed !== null && stated !== compressed;
  };
  const recognised = ((): Recognised => {
    if (isOblong(keywords)) return laws.refuse('unknown-recipe', laws.NOT_SQUARE);
    if (['FUNCTION', 'DMIN', 'DMAX'].every((part) => keywords.has(`HV_IMG_${part}`))) return recogniseStated(header);
    const [zero, scale] = [numberIn(keywords, 'HV_ZERO'), numberIn(keywords, 'HV_SCALE')];
    if (zero !== null && scale !== null && scale > 0) return recogniseLinear(header, zero, scale);
    if (/\bhv_aia_list2jp2_gs2\b/i.test(comment)) return recogniseAia(header);
    if (/\bhv_hmi_list2jp2_gs\b/i.test(comment)) return recogniseHmi(header);
    if (/Software\s*:.*fits2img/i.test(comment)) return recogniseRob(header);
    if (/\bHV_WRITE_JP2_LWG\b/i.test(comment)) return recogniseLwg(header);
    if (keywords.get('TELESCOP') === 'IRIS') {
      return laws.refuse(
        'own-scale',
        'An image of IRIS is scaled by its own extremes, and the statistics of its header are those of a series.',
      );
    }
    return laws.refuse('unknown-recipe', 'The header does not name a program whose law is known.');
  })();
  if ('refusal' in recognised || !([1, 2] as const).some(isResampled)) return recognised;
  const caveat = 'The image was resampled after it was scaled.';
  return { candidates: recognised.candidates.map((one) => ({ ...one, caveats: [...one.caveats, caveat] })) };
}
