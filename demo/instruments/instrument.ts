// The description of an instrument, and the framing of a shot.
import type { ByteLaw } from '../../src/sun/laws/law.ts';
import type { CodingStyle } from '../jp2/encode.ts';
import { longitudeAt, regionStrength, regionsAt } from '../sun/features.ts';
import type { LookName } from '../sun/looks.ts';
import { observerAt, type SunObserver, type Viewpoint } from '../sun/observer.ts';
import { limbArcsec, project, viewOf } from '../sun/view.ts';

export interface Shot {
  readonly sourceId: number;
  readonly timeMs: number;
  /** Side of the square image, pixels. */
  readonly size: number;
}

export type Exposure = ReturnType<typeof expose>;

/** In the order of the header. */
export type Keywords = Readonly<Record<string, string | number>>;

/** How an instrument turns counts into grey levels. */
export interface SampleLaw {
  readonly law: ByteLaw;
  /** Seconds; null for values that are not per second. */
  readonly exposure: number | null;
  /** Whether there are values on the disc only. */
  readonly isDisc: boolean;
  /** Steps of HV_IMG_FUNCTION. */
  readonly steps: readonly string[];
}

export interface Instrument {
  readonly look: LookName;
  readonly viewpoint: Viewpoint;
  /** Power law on the grey levels, for missions whose colour tables begin dark: below 1 brightens. */
  readonly tone?: number;
  /** Field of view of the square image, arcseconds. */
  readonly fieldArcsec: number;
  /** Offset of the Sun's centre from the image centre, pixels of a 1024 x 1024 image. */
  readonly offset?: readonly [number, number];
  /** `region`: the image is centred on the strongest active region in view. */
  readonly target?: 'disk' | 'region';
  readonly largestSize?: number;
  readonly style: CodingStyle;
  readonly keywords: (exposure: Exposure) => Keywords;
  readonly notes?: Keywords;
  readonly law?: SampleLaw | undefined;
  /** Unit of CDELT; `deg` where the mission writes degrees. */
  readonly unit?: 'arcsec' | 'deg';
  readonly fileName: (timeMs: number) => string;
  readonly hasPalette?: (timeMs: number) => boolean;
}

/** What distinguishes an instrument. Absent: seen from the Earth, one precinct per resolution, the regular name of the archive. */
export type InstrumentRecord = Omit<Instrument, Common> & Partial<Pick<Instrument, Common>>;
type Common = 'viewpoint' | 'style' | 'fileName';

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/**
 * Frames a shot with figures rounded as in the header, so that header and image agree exactly: with the radius of the limb, and the image centre
 * in helioprojective arcseconds, west and north.
 */
export function expose(
  instrument: Pick<Instrument, 'viewpoint' | 'fieldArcsec' | 'offset' | 'target' | 'largestSize'>,
  requested: Shot,
) {
  const shot = { ...requested, size: Math.min(requested.size, instrument.largestSize ?? requested.size) };
  const observer = observerAt(instrument.viewpoint, shot.timeMs);
  const scaleArcsecPerPixel = round(instrument.fieldArcsec / shot.size, 7);
  const pointing = instrument.target === 'region' ? regionPointing(observer, shot.timeMs) : ([0, 0] as const);
  const [right, up] = instrument.offset ?? [0, 0];
  const centre = (shot.size + 1) / 2;
  const framing = {
    width: shot.size,
    height: shot.size,
    scaleArcsecPerPixel,
    sunX: round(centre + (right * shot.size) / 1024 - pointing[0] / scaleArcsecPerPixel, 5),
    sunY: round(centre + (up * shot.size) / 1024 - pointing[1] / scaleArcsecPerPixel, 5),
  };
  const arcsec = limbArcsec(observer.distanceM);
  return { shot, framing, observer, limbPixels: arcsec / scaleArcsecPerPixel, limbArcsec: arcsec, pointing };
}

/** Helioprojective position of the strongest region well inside the limb; the disk centre without such a region. */
function regionPointing(observer: SunObserver, timeMs: number): readonly [number, number] {
  const view = viewOf(observer, { width: 1, height: 1, scaleArcsecPerPixel: 1, sunX: 1, sunY: 1 });
  const seen = regionsAt(timeMs)
    .map((region) => ({
      ...project(view, longitudeAt(region, timeMs), region.latitudeDeg),
      power: region.sizeDeg * regionStrength(region, timeMs),
    }))
    .filter(({ z }) => z > 0.5)
    .sort((a, b) => b.power - a.power)[0];
  return seen ? [Math.round(seen.x), Math.round(-seen.y)] : [0, 0];
}
