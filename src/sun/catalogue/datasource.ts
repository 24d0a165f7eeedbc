// The record of a datasource, one leaf of the catalogue: everything that the service knows about it.
import { dayParts } from '../time.ts';
import type { Credit } from './credits.ts';

/** One level of the path from observatory to leaf. A level may have two rows: two spellings in headers, or two labels. */
export interface Level {
  /** 1 at the observatory. Two rows of one level share it. */
  readonly order: number;
  readonly label: string;
  readonly name: string;
  readonly fitsName: string;
  readonly description: string;
}

export interface SourceHeader {
  readonly fits: ReadonlyMap<string, string>;
  /** HV_... keywords, added when the JP2 was made. */
  readonly helioviewer: ReadonlyMap<string, string>;
}

/**
 * Reads the levels of an instrument's sources from a header, in the spelling of `fitsName`: one value per level, undefined where the
 * header has none. Null for the header of another instrument.
 * @param telescope TELESCOP and OBSRVTRY in upper case, joined by a slash
 * @param instrument INSTRUME in upper case
 * @param named The source of the file name, for a value that the header states in prose
 */
export type HeaderRule = (
  header: SourceHeader,
  telescope: string,
  instrument: string,
  named: DataSource | undefined,
) => readonly (string | undefined)[] | null;

/** Offset of a centre from the anchor, and radius. */
export type MaskCircle = readonly [dx: number, dy: number, radius: number];

/** The visible ring of a coronagraph image, between the occulter and the edge of the field. */
export interface Mask {
  /** Width in pixels of the images on which the circles were measured, or `solar-radii` for circles in that unit. */
  readonly unit: number | 'solar-radii';
  /** Centre of the ring: the Sun or the image centre. */
  readonly anchor: 'sun' | 'image';
  readonly inner: MaskCircle;
  readonly outer: MaskCircle;
  /** Width over which the edges fade; absent for sharp edges. */
  readonly softness?: number;
  /** Whether downloads of the whole image are masked too. */
  readonly masksDownloads: boolean;
}

/** The search by which an archive finds the science data: the Virtual Solar Observatory (VSO) or one of SunPy's other clients. */
export interface ScienceSearch {
  /** Spacecraft or network, where the instrument alone is ambiguous. */
  readonly source?: string;
  readonly instrument: string;
  readonly detector?: string;
  readonly wavelengthAngstrom?: number;
  /** Physical observable of the VSO. */
  readonly observable?: 'intensity' | 'LOS_magnetic_field';
  readonly level?: number;
  /** Product of the Solar Orbiter Archive, which has a SunPy package of its own. */
  readonly soarProduct?: string;
  /** Properties that the search cannot select. */
  readonly note?: string;
}

/** A period without images whose reason is documented. */
export interface KnownGap {
  readonly reason: 'not-launched' | 'mission-ended' | 'outage';
  /** UTC dates; absent for a period without beginning or end. */
  readonly from?: string;
  readonly to?: string;
  readonly sentence: string;
}

/** Factors of brightness by UTC day, ascending, by which images become as bright as they would be with an instrument that does not age. */
export type BrightnessCurve = readonly (readonly [date: string, factor: number])[];

/** The source that replaces another one under `switchSources`, at times before `untilMs`. */
export type Predecessor = { readonly sourceId: number; readonly untilMs: number };

export interface DataSource {
  readonly id: number;
  /** Another id of the source in the public service, which scripts use. */
  readonly aliasId?: number;
  readonly nickname: string;
  readonly description: string | null;
  /** Unit of the measurement's name or of its values; null where the catalogue states none. */
  readonly units: string | null;
  /** Order of composition in the catalogue, 1..3; each image has its own, computed from its header. */
  readonly layeringOrder: number;
  readonly displayOrder: number;
  readonly levels: readonly Level[];
  /** Ids of the sources whose images a group shows; absent for a source with images of its own. */
  readonly members?: readonly number[];
  readonly headerLevels: HeaderRule;
  /** Why an image must not be shown, as darks and thumbnails; null for one that can be. */
  readonly refusalOf?: (fits: SourceHeader['fits']) => string | null;
  readonly archiveDirectory: string;
  /** Directory below the day, where it is not the name of the last level: a text, or made of the name of a file. */
  readonly leafDirectory?: string | ((fileName: string) => string);
  /** Name of the source in regular file names, where it is not made of the names of its levels. */
  readonly archiveName?: string;
  /** Product in file names of the mission, a regular expression. */
  readonly product?: string;
  readonly archiveNamePrefix?: string;
  /** Name in picture/colour/tables.ts; null means greyscale. */
  readonly colourTable: string | null;
  /** Time until which the palette of a file, if it has one, replaces the colour table. */
  readonly ownPaletteUntilMs?: number;
  readonly brightness?: BrightnessCurve;
  /** Null for an image without an occulter. */
  readonly mask: Mask | null;
  /** Whether exactly black pixels have no data and are transparent. */
  readonly isBlackTransparent?: true;
  /** Whether there is no data beyond the limb, where layers of pictures are then transparent. */
  readonly endsAtLimb?: true;
  readonly credit: Credit;
  /** Null where no archive is known. */
  readonly search: ScienceSearch | null;
  readonly knownGaps: readonly KnownGap[];
  /** Whether the Earth hides the Sun from the spacecraft for up to 72 minutes a day in the weeks about an equinox. */
  readonly hasEclipseSeasons?: true;
  /** Instrument in the ingestion status; null for a source that the status leaves out. */
  readonly statusName: string | null;
  /** Ages of the newest image, in hours, up to which the ingestion status has level 1, 2 and 3. */
  readonly statusHours: readonly [number, number, number];
  readonly predecessor?: Predecessor;
}

/** The first row of every level, top down, as the catalogue shows it. */
export const pathOf = (source: DataSource): readonly Level[] =>
  source.levels.filter((level, i) => level.order !== source.levels[i - 1]?.order);

export const levelName = (source: Pick<DataSource, 'levels'>, label: string): string | undefined =>
  source.levels.find((level) => level.label === label)?.name;

/** The four levels of a source in v1: missing ones repeat its instrument, else its observatory, with the name as description. */
export function fourLevelPath(source: DataSource): readonly Level[] {
  const path = pathOf(source);
  const repeated = Math.max(
    path.findIndex((level) => level.label === 'Instrument'),
    0,
  );
  const level = path[repeated]!;
  const copies = Array.from({ length: 4 - path.length }, () => ({ ...level, description: level.name }));
  return [...path.slice(0, repeated + 1), ...copies, ...path.slice(repeated + 1)];
}

/** `<instrument>/<YYYY>/<MM>/<DD>/<leaf>`, without slashes at its ends. The file name matters for PUNCH only. */
export function archiveDirectory(source: DataSource, takenAtMs: number, fileName: string): string {
  const { leafDirectory: given } = source;
  const leaf = typeof given === 'function' ? given(fileName) : (given ?? source.levels.at(-1)!.name);
  return [source.archiveDirectory, ...dayParts(takenAtMs), leaf].join('/');
}

/** Ids of groups begin here. */
const GROUPS_FROM = 10_000;

export const isSourceGroup = ({ id }: { readonly id: number }): boolean => id >= GROUPS_FROM;

/** Difference of wavelengths of one line, as 193 and 195, in angstroms. */
const LINE_WIDTH = 5;

/** Whether the names of two measurements, the last levels of their sources, are wavelengths of one line; false without a name. */
export const areOfOneLine = (a?: string, b?: string): boolean => Math.abs(Number(a) - Number(b)) <= LINE_WIDTH;
