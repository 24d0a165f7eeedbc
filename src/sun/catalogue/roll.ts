// What the roll in the headers of an instrument means for the pixels of its files. Many files were turned to the north when they were made,
// and still state the roll of the camera: no keyword can be trusted alone.
import { firstNumberIn, numberIn } from '../geometry.ts';
import { levelName } from './datasource.ts';
import { findSource } from './sources.ts';

type Header = ReadonlyMap<string, string>;

/** `north`: the pixels are north up, whatever the header states. `header`: they lie as its matrix or its CROTA states. */
type Pixels = 'north' | 'header';

interface RollRule {
  readonly instrument: RegExp;
  readonly pixels: Pixels;
  /** Where a header of this instrument means something else, or nothing certain. */
  readonly exception?: (header: Header) => Partial<Roll> | null;
  /** Whether no test of pixels has confirmed it yet. */
  readonly isUnverified?: true;
  readonly evidence: string;
}

export type Roll = { readonly pixels: Pixels; readonly isVerified: boolean; readonly evidence: string };

const HALF_TURN = 180;
/** Degrees from a half turn within which files of LASCO may have been reversed. */
const NEAR_HALF_TURN = 10;
/** Before this day quicklook files of LASCO were turned the wrong way. */
const SIGN_CORRECTED = '2011-04-27';

const reversed =
  (keyword: string) =>
  (header: Header): Partial<Roll> | null =>
    Math.abs(numberIn(header, keyword) ?? 0) === HALF_TURN ? { isVerified: false } : null;

function ofLasco(header: Header): Partial<Roll> | null {
  if (numberIn(header, 'CROTA') !== null) {
    const [made] = /\d{4}-\d\d-\d\d/.exec(header.get('HV_COMMENT') ?? '') ?? [];
    return made !== undefined && made < SIGN_CORRECTED ? { isVerified: false } : null;
  }
  const roll = firstNumberIn(header, 'CROTA2', 'CROTA1');
  if (roll === null) return null;
  const isNearHalf = HALF_TURN - Math.abs(roll) < NEAR_HALF_TURN;
  return { pixels: isNearHalf ? 'north' : 'header', isVerified: false };
}

const ROLLS: readonly RollRule[] = [
  {
    instrument: /^LASCO$/,
    pixels: 'north',
    exception: ofLasco,
    evidence: 'The edges of the frame lie at the angle of CROTA, and the stars of Scorpius leave a roll of 0.06 degrees.',
  },
  {
    instrument: /^EIT$/,
    pixels: 'north',
    exception: reversed('SC_ROLL'),
    evidence: 'The edges of a frame of 2024 lie at the angle of SC_ROLL.',
  },
  {
    instrument: /^MDI$/,
    pixels: 'north',
    exception: reversed('CROT'),
    evidence: 'The region NOAA 10720 is in the north east on 2005-01-11, although P_ANGLE is -180.',
  },
  { instrument: /^EUI$/, pixels: 'header', evidence: 'The limb of FSI is where the matrix places it, to 0.5 pixel.' },
  { instrument: /^SJI$/, pixels: 'header', evidence: 'The slit is a column of the array, so that the frame is raw.' },
  { instrument: /^XRT$/, pixels: 'header', isUnverified: true, evidence: 'Files are made without turning.' },
  {
    instrument: /^SECCHI$/,
    pixels: 'header',
    isUnverified: true,
    evidence: 'Images are turned by secchi_prep, which updates the header.',
  },
  { instrument: /^SXT$/, pixels: 'north', isUnverified: true, evidence: 'It is unknown who made the files.' },
  { instrument: /^TRACE$/, pixels: 'header', isUnverified: true, evidence: 'Headers state no roll.' },
  { instrument: /^GONG$/, pixels: 'north', isUnverified: true, evidence: 'SunPy takes no roll.' },
  {
    instrument: /^CCOR-?[12]$/,
    pixels: 'north',
    isUnverified: true,
    evidence: 'The spacecraft turns by 180 degrees twice a year.',
  },
];

const BY_HEADER: Roll = { pixels: 'header', isVerified: true, evidence: 'The matrix of the header, or its CROTA2.' };

/** The meaning of the roll in a header. @param sourceId The identified source; unset for a header alone, whose INSTRUME counts */
export function rollOf(header: Header, sourceId?: number): Roll {
  const source = sourceId === undefined ? undefined : findSource(sourceId);
  const names = source ? [levelName(source, 'Instrument'), levelName(source, 'Observatory')] : [header.get('INSTRUME')?.trim()];
  const rule = ROLLS.find(({ instrument }) => names.some((name) => instrument.test(name?.toUpperCase() ?? '')));
  if (!rule) return BY_HEADER;
  const { pixels, evidence, isUnverified = false, exception } = rule;
  return { pixels, evidence, isVerified: !isUnverified, ...exception?.(header) };
}
