// Laws of SOHO EIT and MDI, STEREO EUVI and KCor, and of SWAP and EUI FSI by ROB: jp2gen, fits2img and kcor-pipeline.
import { numberIn } from '../geometry.ts';
import { observationTime } from '../time.ts';
import type { ByteLaw, Gate, LawHeader, Recognised } from './law.ts';
import {
  LINEAR,
  LOG,
  LOSSY,
  missing,
  NOT_CORRECTED,
  positive,
  refuse,
  root,
  setupOf,
  TRUNCATED_LEVELS,
  truncatedLaw,
  writtenAtMs,
} from './law.ts';

/** DN/s by channel: of files written since 14 May 2010, and before. */
const EIT_SCALES: Readonly<Record<string, Readonly<Record<'now' | 'before', readonly [lo: number, hi: number]>>>> = {
  171: { now: [7, 1200], before: [5, 1200] },
  195: { now: [5, 1000], before: [2, 700] },
  284: { now: [0.3, 120], before: [0.1, 70] },
  304: { now: [0.5, 700], before: [0.5, 500] },
};
const EIT_CHANGED_MS = Date.UTC(2010, 4, 14);
/** Days on which the upper end of 171 was multiplied again and again. */
const EIT_BAD = { fromMs: Date.UTC(2001, 2, 2), toMs: Date.UTC(2001, 2, 9) };
/** Steps of eit_prep that the law supposes. */
const EIT_STEPS = [/dark current/i, /degrid/i, /flat field/i, /exposure normalized/i, /clear filter/i, /time response/i];
const EIT_HALF_SIZE = 512;

function recogniseEit(header: LawHeader): Recognised {
  const channel = header.keywords.get('WAVELNTH') ?? '';
  const scales = EIT_SCALES[channel];
  if (!scales) return refuse('unknown-recipe', `No law is known for the wavelength ${channel || 'nothing'} of EIT.`);
  const history = header.keywords.get('HISTORY') ?? '';
  if (!EIT_STEPS.every((step) => step.test(history))) {
    return refuse(
      'unknown-recipe',
      'The history of this EIT image does not name all steps of the calibration that its law supposes.',
    );
  }
  const writtenMs = writtenAtMs(header);
  if (writtenMs === null)
    return refuse('ambiguous-recipe', 'The header does not tell when the file was written, which decides its scale.');
  const takenMs = observationTime(header.keywords);
  if (channel === '171' && takenMs !== null && takenMs >= EIT_BAD.fromMs && takenMs < EIT_BAD.toMs) {
    return refuse('own-scale', 'The scale of EIT 171 was changed from image to image in these days and is not recorded.');
  }
  const [lo, hi] = writtenMs >= EIT_CHANGED_MS ? scales.now : scales.before;
  const factor = numberIn(header.keywords, 'NAXIS1') === EIT_HALF_SIZE ? 4 : 1;
  const law = truncatedLaw({
    name: `EIT ${channel}`,
    unit: 'DN/s',
    transfer: LOG,
    lo: lo * factor,
    hi: hi * factor,
    // Also the value of the corners and the border of turned frames.
    noDataByte: 0,
    belowByte: null,
  });
  const caveats = [
    'No header of EIT has statistics that could confirm the scale; it is right if any pixel reaches the upper end.',
    'Missing blocks are filled from a neighbouring image.',
  ];
  return { candidates: [{ law, status: 'approximate', gates: [], lossy: LOSSY.small, disc: null, caveats }] };
}

const MDI_SCALES = { continuum: { lo: 1000, hi: 14_000 }, magnetogram: { lo: -1000, hi: 1000 } } as const;

/** Level that the first byte scaling gives a value. */
function firstLevel({ lo, hi }: { readonly lo: number; readonly hi: number }, value: number): number {
  return Math.min(255, Math.max(0, Math.floor((TRUNCATED_LEVELS * (value - lo)) / (hi - lo))));
}

function recogniseMdi(header: LawHeader): Recognised {
  if (header.isQuicklook)
    return refuse('own-scale', 'Quick-look images of MDI were flattened and stretched by a scale that is not recorded.');
  const observable = header.keywords.get('DPC_OBSR') ?? '';
  const isMagnetogram = /magnetogram/i.test(observable);
  if (!isMagnetogram && !/continuum|Ic/i.test(observable)) {
    return refuse('unknown-recipe', 'The header does not tell whether the image is a magnetogram or a continuum image.');
  }
  const [least, greatest] = [numberIn(header.keywords, 'DATAMIN'), numberIn(header.keywords, 'DATAMAX')];
  if (greatest === null || greatest <= 0) return missing('DATAMAX', 'above 0');
  if (isMagnetogram && (least === null || least >= 0)) return missing('DATAMIN', 'below 0');
  const scale = isMagnetogram ? MDI_SCALES.magnetogram : MDI_SCALES.continuum;
  // Pixels at the edge of a continuum image are below the scale.
  const s0 = isMagnetogram ? firstLevel(scale, least!) : 0;
  const law = truncatedLaw({
    name: `MDI ${isMagnetogram ? 'magnetogram' : 'continuum'}`,
    unit: isMagnetogram ? 'G' : 'arbitrary intensity',
    transfer: LINEAR,
    ...scale,
    grid: { kind: 'stretched', s0, s1: firstLevel(scale, greatest) },
    noDataByte: 0,
    belowByte: 1,
    aboveByte: greatest > scale.hi ? 255 : null,
    least,
    greatest,
  });
  const median = numberIn(header.keywords, 'DATAMEDN');
  const pixels = positive(header, 'DATAVALS');
  const gates: Gate[] = isMagnetogram
    ? [{ kind: 'zero' }]
    : median !== null && pixels !== null
      ? [{ kind: 'median', stated: median, pixels, halfCount: 0 }]
      : [];
  const status = isMagnetogram ? 'approximate' : 'exact';
  const caveats = isMagnetogram ? ['No public file of this recipe has confirmed the law.'] : ['Limb darkening is not removed.'];
  return { candidates: [{ law, status, gates, lossy: LOSSY.small, disc: null, caveats }] };
}

/** Decades of the calibrated value by channel (scc_bytscl 1.11). */
const EUVI_DECADES: Readonly<Record<string, readonly [number, number]>> = {
  171: [-0.2, 3.7],
  195: [-0.8, 3.4],
  284: [-0.7, 2.7],
  304: [-1, 4],
};
const EUVI_CHANGED_MS = Date.UTC(2011, 5, 6);

function recogniseEuvi(header: LawHeader): Recognised {
  const writtenMs = writtenAtMs(header);
  if (writtenMs === null || writtenMs < EUVI_CHANGED_MS) {
    return refuse(
      'own-scale',
      'EUVI images written before June 2011 went through a colour table, from which no value comes back.',
    );
  }
  const channel = header.keywords.get('WAVELNTH')?.replace(/\.0*$/, '') ?? '';
  const decades = EUVI_DECADES[channel];
  const unit = header.keywords.get('BUNIT');
  if (!decades) return refuse('unknown-recipe', `No law is known for the wavelength ${channel || 'nothing'} of EUVI.`);
  if (unit === undefined) return missing('BUNIT', 'of the calibrated value');
  const [lo, hi] = decades.map((exponent) => 10 ** exponent) as [number, number];
  const law = truncatedLaw({ name: `EUVI ${channel}`, unit, transfer: LOG, lo, hi });
  const median = positive(header, 'DATAP50');
  const gates: Gate[] = median === null ? [] : [{ kind: 'median', stated: median, pixels: null, halfCount: 0 }];
  const caveats = [
    'No public file of this recipe has confirmed the law.',
    'Values of 0 and below were replaced by 1.',
    NOT_CORRECTED,
  ];
  return { candidates: [{ law, status: 'approximate', gates, lossy: LOSSY.faint, disc: null, caveats }] };
}

const KCOR_SINCE = { writtenMs: Date.UTC(2020, 4, 21), takenMs: Date.UTC(2020, 0, 1) };
const MILLIONTH = 1e-6;

function recogniseKcor(header: LawHeader): Recognised {
  const [writtenMs, takenMs] = [writtenAtMs(header), observationTime(header.keywords)];
  if (writtenMs === null || takenMs === null || writtenMs < KCOR_SINCE.writtenMs || takenMs < KCOR_SINCE.takenMs) {
    return refuse('ambiguous-recipe', 'The scale of KCor changed several times before 2020, and the header does not record it.');
  }
  const greatest = positive(header, 'DATAMAX');
  const exponent = 0.7;
  const law = truncatedLaw({
    name: 'KCor pB',
    unit: 'B/Bsun',
    transfer: { kind: 'root', exponent, offset: 0, scale: MILLIONTH, ofRoot: true },
    lo: -0.007,
    hi: greatest !== null && greatest < MILLIONTH ? (greatest / MILLIONTH) ** exponent : 1,
    noDataByte: 0,
    belowByte: null,
  });
  const caveats = ['No public file of this recipe has confirmed the law.'];
  return { candidates: [{ law, status: 'approximate', gates: [], lossy: LOSSY.small, disc: null, caveats }] };
}

const RATIO_TO_MODEL = 'is a ratio to a model of the background that no file records, so that no brightness comes back.';

/** Rules 7 and 8: setups of HV_WRITE_JP2_LWG. */
export function recogniseLwg(header: LawHeader): Recognised {
  const { name } = setupOf(header);
  if (/_eit$/.test(name)) return recogniseEit(header);
  if (/_mdi$/.test(name)) return recogniseMdi(header);
  if (/euvi/.test(name)) return recogniseEuvi(header);
  if (/kcor/.test(name)) return recogniseKcor(header);
  if (/_lasco_c[23]$/.test(name)) return refuse('ratio', `An image of LASCO ${RATIO_TO_MODEL}`);
  if (/cor2/.test(name)) return refuse('ratio', `An image of COR2 ${RATIO_TO_MODEL}`);
  if (/cor1/.test(name))
    return refuse('own-scale', 'The upper end of an image of COR1 is that of the image itself, which no keyword records.');
  if (/rhessi/.test(name))
    return refuse('own-scale', 'A map of RHESSI is scaled between its own extremes, which no keyword records.');
  return refuse('unknown-recipe', 'The header names a setup whose law is not known.');
}

/** Program defaults of fits2img: the inverse exponent, and the upper end. */
const GAMMA = 1 / 2.2;
const SWAP_TOP = 360;
const FSI_TOP = 8191;
/** From when fits2img does not sharpen images. */
const UNSHARPENED_MS = Date.UTC(2024, 4, 14);

function gammaLaw(name: string, hi: number): ByteLaw {
  return truncatedLaw({ name, unit: 'DN/s', transfer: root(GAMMA), grid: { kind: 'rounded' }, lo: 0, hi });
}

/** Rule 6. */
export function recogniseRob(header: LawHeader): Recognised {
  const { keywords, comment } = header;
  const writtenMs = writtenAtMs(header);
  const sharpened =
    writtenMs !== null && writtenMs >= UNSHARPENED_MS
      ? []
      : ['The image was sharpened before it was scaled: features of a few pixels may be 10 to 25 % too bright.'];
  const caveats = ['The scale is inferred, and confirmed by the mean of the image.', NOT_CORRECTED, ...sharpened];
  const lawOf = (law: ByteLaw, keyword: string): Recognised => {
    const statedMean = positive(header, keyword);
    if (statedMean === null) return missing(keyword, 'above 0');
    const gates: Gate[] = [{ kind: 'scale', statedMean }];
    return { candidates: [{ law, status: 'approximate', gates, lossy: LOSSY.small, disc: null, caveats }] };
  };
  if (keywords.get('INSTRUME') === 'SWAP') return lawOf(gammaLaw('SWAP 174', SWAP_TOP), 'SWAVINT');
  const isFsi174 = keywords.get('DETECTOR') === 'FSI' && keywords.get('WAVELNTH') === '174';
  if (isFsi174 && /Contact\s*:\s*swhv@oma\.be/.test(comment)) return lawOf(gammaLaw('EUI FSI 174', FSI_TOP), 'DATAMEAN');
  return refuse('unknown-recipe', 'The settings with which fits2img wrote this image are not known.');
}
