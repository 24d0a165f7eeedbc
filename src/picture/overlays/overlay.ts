// An overlay is one record: parameters, member in canonical strings, and picture: boxes in the frame with SVG markup in each.
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import type { Point } from '../../sun/coordinates/rings.ts';
import type { Size } from '../../sun/image.ts';
import { flagIn, type Members } from '../notation.ts';
import type { Parametrised } from '../parameter.ts';
import type { Mapping } from '../projections/mapping.ts';

/** A rectangle in whole pixels of the frame; it may extend beyond the frame. */
export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

export interface Overlay extends Box {
  /** SVG elements without the root; the origin is the box's upper left corner, the unit a pixel of the frame. */
  readonly svg: string;
}

/** A number for markup, with at most two decimals. @throws RangeError for numbers that are not finite */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`An overlay has the coordinate ${value}, which is not finite.`);
  return String(Math.round(value * 100) / 100 + 0);
}

/** The box of whole pixels around points, with a margin. */
export function boxAround(points: readonly Point[], margin: number): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.floor(Math.min(...xs)) - margin, Math.floor(Math.min(...ys)) - margin];
  return { x, y, width: Math.ceil(Math.max(...xs)) + margin - x, height: Math.ceil(Math.max(...ys)) + margin - y };
}

export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const COLOUR = /^#?([0-9a-f]{6})$/i;

/** `#rrggbb` from six hexadecimal digits with or without `#`; the grey of unknown event types otherwise. */
export const colour = (text: string): string => `#${COLOUR.exec(text)?.[1]?.toLowerCase() ?? 'd4d4d4'}`;

export interface TextStyle {
  readonly sizePx: number;
  readonly fill?: string;
  /** Width (pixels) and opacity of the black outline of the letters. */
  readonly outlinePx: number;
  readonly outlineOpacity: number;
}

/** Size of a drawing in its own units, and its elements without the root. */
export interface Drawing extends Size {
  readonly markup: string;
}

/** Text and drawings, for which the renderer has the files. */
export interface OverlayKit {
  /** One line of text for drawing, with the characters that the font has. */
  cleanLine(text: string): string;
  /** Width of a cleaned line in pixels. */
  textWidth(line: string, sizePx: number): number;
  /** An SVG text of a cleaned line whose baseline starts at x, y. */
  textElement(line: string, x: number, y: number, style: TextStyle): string;
  readonly drawings: { readonly logo: Drawing; readonly mark: Drawing; readonly earth: Drawing };
}

export interface LayerCaption {
  /** `SDO AIA 171`. */
  readonly name: string;
  readonly takenAtMs: number;
  /** Text after the time: a difference suffix, or `UTC`. */
  readonly suffix?: string;
  readonly credit?: string | undefined;
}

export interface MovieMarker {
  /** Centre of the movie's region of interest, pixels of the frame. */
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/** A body in the picture, in arcseconds of its plane. */
export interface BodyLabel extends PlanePoint {
  readonly name: string;
  /** Whether an arrow points to its place, because it is too faint to be seen. */
  readonly isFaint: boolean;
}

/** Consecutive points of a way on one side of the plane through the Sun; each begins where the one before ends. */
export type TrajectoryPart = { readonly isBehind: boolean; readonly points: readonly PlanePoint[] };

export type SeenBodies = { readonly labels: readonly BodyLabel[]; readonly trajectories: readonly TrajectoryPart[] };

export interface OverlayFrame extends Size {
  readonly scaleArcsecPerPixel: number;
  /** Where a point of the plane of the picture is, in pixels of the frame. */
  pixelOf(point: PlanePoint): Point;
  /** The pixel nearest to a point in arcseconds from the Sun's centre, x to the west, y to the NORTH. */
  pixelAt(x: number, y: number): { readonly x: number; readonly y: number };
  /** Captions of the layers, from the bottom up. */
  readonly captions: readonly LayerCaption[];
  /** Where the picture shows what the observer of the lowest layer sees, for records that ask for its header; else null. */
  readonly mapping: Mapping | null;
  readonly movies: readonly MovieMarker[];
  readonly bodies: SeenBodies | null;
  /** Boxes of the overlays of the levels `indicator` and `caption` that have been laid out before. */
  readonly taken: readonly Box[];
  readonly kit: OverlayKit;
}

/** Levels from the bottom up. Pins lie above the ground; labels of events avoid indicators and captions, and captions avoid indicators. */
export const LEVELS = ['ground', 'marker', 'indicator', 'caption'] as const;

/** @template V Value in a recipe: false or null for an overlay that is not drawn */
export interface OverlayRecord<V = unknown, N extends string = string> extends Parametrised {
  /** Its name in a recipe and in canonical strings. */
  readonly name: N;
  /** Whether movies of v1 have its parameters; false for overlays that the original service does not have. */
  readonly isInV1: boolean;
  readonly level: (typeof LEVELS)[number];
  /** The headers of images that it needs; unset for none. */
  readonly headers?: 'all' | 'lowest' | undefined;
  /** @throws Failure naming the parameter at fault */
  read(parameters: object): V;
  /** The member of canonical strings; undefined for the default, which they omit. */
  print(value: V): unknown;
  /** The parameters of a request for it, without those that have their default. */
  query(value: V): Readonly<Record<string, unknown>>;
  /** @throws Failure for an invalid member */
  parse(members: Members): V;
  draw(value: V & NonNullable<unknown>, frame: OverlayFrame): Overlay[];
}

interface FlagOptions {
  readonly description: string;
  readonly byDefault?: boolean;
  readonly isInV1?: boolean;
  readonly level: OverlayRecord['level'];
  readonly headers?: OverlayRecord['headers'];
  draw(frame: OverlayFrame): Overlay[];
}

export function flagOverlay<const N extends string, const O extends FlagOptions>(name: N, options: O) {
  const { description, byDefault = false, level, headers } = options;
  const parameter = { type: 'flag', description, byDefault } as const;
  return {
    name,
    parameters: { [name]: parameter } as { readonly [K in N]: typeof parameter },
    isInV1: (options.isInV1 ?? false) as O['isInV1'] extends true ? true : false,
    level,
    headers,
    read: (parameters: { readonly [K in N]?: boolean | undefined }): boolean => parameters[name] ?? byDefault,
    print: (shown: boolean) => (shown === byDefault ? undefined : shown),
    query: (shown: boolean) => (shown === byDefault ? {} : { [name]: shown }),
    parse: (members: Members) => flagIn(members, name, byDefault),
    draw: (_: boolean, frame: OverlayFrame) => options.draw(frame),
  } satisfies OverlayRecord<boolean>;
}
