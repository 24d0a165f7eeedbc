import type { Members } from '../notation.ts';
import type { ParametersOf } from '../parameter.ts';
import { BODIES } from './bodies.ts';
import { CREDIT } from './credit.ts';
import { GRID } from './grid.ts';
import { MOVIE_ICONS } from './movie-icons.ts';
import type { OverlayRecord } from './overlay.ts';
import { SCALE } from './scale.ts';
import { WATERMARK } from './watermark.ts';

/** In the order of the parameters and of the members of canonical strings. New ones come last. */
export const OVERLAYS = [WATERMARK, SCALE, MOVIE_ICONS, GRID, BODIES, CREDIT] as const;

type Known = (typeof OVERLAYS)[number];

/** The value of each overlay in a recipe: false or null where it is not drawn. */
export type Overlays = { readonly [R in Known as R['name']]: ReturnType<R['read']> };

export type OverlayParameters = ParametersOf<Known>;

const records: readonly OverlayRecord[] = OVERLAYS;

const byName = (value: (record: OverlayRecord) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(records.map((record) => [record.name, value(record)]));

/** Overlays of a request; only the watermark is on by default. @throws Failure naming the parameter at fault */
export const parseOverlays = (parameters: OverlayParameters): Overlays => byName((record) => record.read(parameters)) as Overlays;

/** @throws Failure for an invalid member */
export const overlaysIn = (members: Members): Overlays => byName((record) => record.parse(members)) as Overlays;

/** The members of canonical strings; undefined for overlays that have their default. */
export const overlayMembers = (overlays: Overlays): Readonly<Record<string, unknown>> =>
  byName((record) => record.print(overlays[record.name as keyof Overlays]));

export const overlayParameters = (overlays: Overlays): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...records.map((record) => record.query(overlays[record.name as keyof Overlays])));

export const drawnOverlays = (overlays: Overlays) =>
  records.flatMap((record) => {
    const value = overlays[record.name as keyof Overlays];
    return value ? [{ record, value }] : [];
  });
