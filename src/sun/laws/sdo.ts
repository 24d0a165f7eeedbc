// Laws of SDO AIA and HMI: hv_aia_list2jp2_gs2 and hv_hmi_list2jp2_gs of jp2gen at LMSAL.
import { numberIn } from '../geometry.ts';
import type { ByteLaw, Candidate, Gate, LawHeader, Recognised } from './law.ts';
import * as laws from './law.ts';

type Scale = Pick<ByteLaw, 'transfer' | 'lo' | 'hi'>;

const log = (lo: number, hi: number): Scale => ({ transfer: laws.LOG, lo, hi });
const sqrt = (lo: number, hi: number): Scale => ({ transfer: laws.SQUARE_ROOT, lo, hi });

const { bright, medium, faint } = laws.LOSSY;

/**
 * DN/s by channel since January 2011 (hvs_version5_aia.pro), and the error of lossy files. 171 is the square root of v - 5 from 1 to 40. Channels
 * that were not simulated have the error of one with similar counts.
 */
export const AIA_SCALES: Readonly<Record<string, Scale & Pick<Candidate, 'lossy'>>> = {
  94: { ...log(0.1, 30), lossy: faint },
  131: { ...log(0.7, 500), lossy: faint },
  171: { transfer: laws.root(0.5, 5), lo: 6, hi: 1605, lossy: bright },
  193: { ...log(20, 2500), lossy: medium },
  211: { ...log(7, 1500), lossy: medium },
  304: { ...log(0.8, 250), lossy: faint },
  335: { ...log(0.4, 80), lossy: faint },
  1600: { ...log(20, 400), lossy: medium },
  1700: { ...sqrt(220, 5000), lossy: bright },
  4500: { ...log(4000, 20_000), lossy: bright },
};

/** Version 6, of reversible files, differs here alone. */
const AIA_1600_V6 = log(10, 400);

/** Version 2.0, of 2010: DN at a reference exposure in s. */
const AIA_SCALES_V2: Readonly<Record<string, Scale & { readonly exposure: number }>> = {
  94: { ...sqrt(3, 50), exposure: 4.998 },
  131: { ...log(10, 1400), exposure: 6.997 },
  171: { ...sqrt(200, 14_000), exposure: 4.998 },
  193: { ...log(60, 11_000), exposure: 2.9995 },
  211: { ...log(60, 13_000), exposure: 4.998 },
  335: { ...log(8, 1500), exposure: 6.997 },
  1700: { ...sqrt(0, 2500), exposure: 1 },
  4500: { ...sqrt(0, 26_000), exposure: 1 },
};

/** Version 1.0, of 2010: DN, not per second. */
const AIA_SCALES_V1: Readonly<Record<string, Scale>> = {
  94: log(1, 800),
  131: log(1, 1900),
  171: sqrt(0, 3500),
  193: log(1, 5500),
  211: log(1, 3500),
  304: log(1, 3500),
  335: log(1, 3500),
  1600: log(1, 800),
  1700: sqrt(0, 3500),
  4500: sqrt(0, 38_000),
};

/** Below this many DN/s the noise of the photons is larger than a level. */
const FAINT = 10;

interface AiaScaling extends Scale {
  readonly version: string;
  readonly channel: string;
  /** Seconds by which the DN of the header are divided. */
  readonly exposure: number;
  readonly unit: string;
  readonly status: Candidate['status'];
  /** Whether two pixels force the ends of the scale, unless they were removed. */
  readonly hasMarker: boolean;
}

/** Gates of DATAMEDN and DATAMEAN, which cover the whole frame, in DN; none where the header does not have them. */
export function frameGates(header: LawHeader, exposure: number): Gate[] {
  const [median, mean] = ['DATAMEDN', 'DATAMEAN'].map((keyword) => numberIn(header.keywords, keyword));
  return [
    ...(typeof median === 'number'
      ? [{ kind: 'median', stated: median / exposure, pixels: null, halfCount: 0.5 / exposure } as const]
      : []),
    ...(typeof mean === 'number' ? [{ kind: 'mean', stated: mean / exposure } as const] : []),
  ];
}

function aiaCandidate(header: LawHeader, scaling: AiaScaling): Candidate {
  const { channel, exposure, hasMarker, transfer, lo, hi, unit } = scaling;
  const extremes = laws.extremesOf(header, exposure);
  const topWithout = extremes.greatest === null ? null : Math.min(hi, extremes.greatest);
  const law = laws.truncatedLaw({
    name: `AIA ${scaling.version} ${channel}`,
    unit,
    transfer,
    lo,
    hi: hasMarker ? hi : (topWithout ?? hi),
    ...laws.endsOf(extremes, lo, hi),
  });
  return {
    law,
    status: scaling.status,
    gates: [...frameGates(header, exposure), ...(hasMarker ? [{ kind: 'marker', topWithout } as const] : [])],
    lossy: AIA_SCALES[channel]!.lossy,
    disc: null,
    caveats: [
      laws.NOT_CORRECTED,
      ...(lo < FAINT ? ['Below about 10 DN/s the noise of the photons is larger than a level.'] : []),
    ],
  };
}

/** Rules 2 to 4: the label of a setup, and what its version wrote. */
export function recogniseAia(header: LawHeader): Recognised {
  const { name, version } = laws.setupOf(header);
  const channel = header.keywords.get('WAVELNTH')?.replace(/\.0*$/, '') ?? '';
  if (!(channel in AIA_SCALES))
    return laws.refuse('unknown-recipe', `No law is known for the wavelength ${channel || 'nothing'} of AIA.`);
  const exposure = laws.positive(header, 'EXPTIME');
  if (exposure === null) return laws.missing('EXPTIME', 'above 0');
  const ofVersion5 = { version: 'v5', channel, exposure, unit: 'DN/s', status: 'exact', hasMarker: true } as const;
  if (name === 'hvs_version5' && version.startsWith('5')) {
    const candidates = [aiaCandidate(header, { ...ofVersion5, ...AIA_SCALES[channel]! })];
    const mayBeLater = channel === '1600' && header.keywords.get('HV_REVERSIBLE') === '1';
    if (mayBeLater) candidates.push(aiaCandidate(header, { ...ofVersion5, version: 'v6', ...AIA_1600_V6 }));
    return { candidates };
  }
  if (name === 'hvs_version3') {
    return laws.refuse(
      'ambiguous-recipe',
      'Three scales of AIA carried the label hvs_version3, and the header does not tell which one was used.',
    );
  }
  const old = { version: '', channel, status: 'approximate', hasMarker: false } as const;
  if (name === 'hvs_version2') {
    const scale = AIA_SCALES_V2[channel];
    if (!scale)
      return laws.refuse(
        'own-scale',
        `The images of ${channel} of this recipe have the scale of the image itself, which is not recorded.`,
      );
    const { transfer } = scale;
    const perSecond = { transfer, lo: scale.lo / scale.exposure, hi: scale.hi / scale.exposure };
    return { candidates: [aiaCandidate(header, { ...old, ...perSecond, version: 'v2', exposure, unit: 'DN/s' })] };
  }
  if (name === 'hvs_default_aia') {
    return { candidates: [aiaCandidate(header, { ...old, ...AIA_SCALES_V1[channel]!, version: 'v1', exposure: 1, unit: 'DN' })] };
  }
  return laws.refuse('unknown-recipe', 'The header does not name a setup of AIA whose law is known.');
}

/** Gauss at both ends of magnetograms. */
const HMI_GAUSS = 250;

/** Rule 5. */
export function recogniseHmi(header: LawHeader): Recognised {
  const content = header.keywords.get('CONTENT') ?? '';
  const disc = laws.discOf(header);
  const [least, greatest] = [numberIn(header.keywords, 'DATAMIN'), numberIn(header.keywords, 'DATAMAX')];
  if (disc === null) return laws.missing('RSUN_OBS, CDELT1 or CRPIX', 'of the disc');
  if (content === 'MAGNETOGRAM') {
    if (least === null || least > -HMI_GAUSS) return laws.missing('DATAMIN', `of at most -${HMI_GAUSS} G`);
    if (greatest === null || greatest < HMI_GAUSS) return laws.missing('DATAMAX', `of at least ${HMI_GAUSS} G`);
    const ends = { lo: -HMI_GAUSS, hi: HMI_GAUSS, least, greatest };
    const caveats = ['Fields beyond 250 G are clipped, as in sunspots.', 'The noise is about 10 G.'];
    const law = laws.truncatedLaw({ name: 'HMI magnetogram', unit: 'G', transfer: laws.LINEAR, ...ends });
    return { candidates: [{ law, status: 'exact', gates: [{ kind: 'zero' }], lossy: laws.LOSSY.magnetogram, disc, caveats }] };
  }
  if (content === 'CONTINUUM INTENSITY') {
    if (greatest === null || greatest <= 0) return laws.missing('DATAMAX', 'above 0');
    const unit = header.keywords.get('BUNIT') ?? 'DN';
    const law = laws.truncatedLaw({ name: 'HMI continuum', unit, transfer: laws.LINEAR, lo: 0, hi: greatest, aboveByte: null });
    const caveats = ['Limb darkening is not removed.'];
    return { candidates: [{ law, status: 'exact', gates: [], lossy: laws.LOSSY.magnetogram, disc, caveats }] };
  }
  return laws.refuse('unknown-recipe', 'The header does not tell whether the image is a magnetogram or a continuum image.');
}
