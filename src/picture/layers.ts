// The layers notation, and names of layers. A group of the notation is `[sourceId,visible,opacity]` followed by up to four elements of
// difference data, with either an id or the names from observatory to measurement.
import { pathOf } from '../domain/catalogue/datasource.ts';
import { findSource, sourceByNames } from '../domain/catalogue/sources.ts';
import { suggestedSource } from '../domain/catalogue/suggested-source.ts';
import { badParameter, Failure, type Suggestion, shown } from '../domain/errors.ts';
import { formatIso, parseRequestDate } from '../domain/time.ts';
import { bracketGroups, suggestedGroup } from './groups.ts';
import { RECIPE_LIMITS } from './limits.ts';
import { type Difference, differenceOfCode, LAST_CODE, printDifference, TIME_UNITS } from './operations/difference.ts';
import { type Operations, withOperations } from './operations/operations.ts';

export interface Layer extends Operations {
  /** A datasource of the catalogue; aliases are resolved. */
  readonly sourceId: number;
  readonly isVisible: boolean;
  /** Percent, at most 100, to a hundredth; above 0 where the layer is drawn. */
  readonly opacity: number;
}

/** An image with its operations. `I`: what is known of an image. */
export interface ImageLayer<I> extends Operations {
  readonly image: I;
  /** The older image with which it is compared; null without one. */
  readonly reference: I | null;
}

/** A visible, opaque layer without operations. */
export const plainLayer = (sourceId: number): Layer => ({ sourceId, isVisible: true, opacity: 100 });

/** Whether pictures show a layer. */
export const isDrawn = ({ isVisible, opacity }: Layer): boolean => isVisible && opacity > 0;

/** Elements of the numeric form; only the first three are required. */
const NUMERIC = { min: 3, max: 7 };
/** Elements of the named form: two to four names, or five if a missing detector repeats the instrument. */
const NAMED = { min: 4, max: 10 };
/** Length from which a named group ends in all six elements instead of visible and opacity alone. */
const NAMED_WITH_DIFFERENCE = 8;
/** Elements after the names that state a difference: visible, opacity, difference, count, unit, base. */
const WITH_DIFFERENCE = 6;

/** Clients send 1 to 3; every value above 0 means visible. */
const LARGEST_ORDER = 1000;
/** An order above it with an opacity of at most 1 % are an opacity and a flag in the wrong order. */
const USUAL_ORDERS = RECIPE_LIMITS.layers;

const DEFAULT_COUNT = '1';
const DEFAULT_UNIT = '1';

const NOTATION = { parameter: 'layers', example: '[13,1,100]', maxCharacters: RECIPE_LIMITS.layersCharacters };

const bad = (what: string, value: unknown, suggestion?: Suggestion): Failure => badParameter('layers', what, value, suggestion);

function suggestionFor(text: string): Suggestion | undefined {
  const source = suggestedSource(text);
  return source && { value: String(source.id), gloss: source.nickname };
}

function wholeNumber(what: string, text: string, min: number, max: number): number {
  const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) + 0 : Number.NaN;
  if (value >= min && value <= max) return value;
  throw bad(`${what} from ${min} to ${max}`, text);
}

function opacityOf(text: string): number {
  const value = /^\d{1,15}(\.\d*)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 100) return Math.round(value * 100) / 100;
  throw bad('an opacity from 0 to 100', text);
}

/** Difference of elements 4 to 7 of a group. Validates all of them, also those that the kind does not use. */
function differenceOf([kindText = '', countText = '', unitText = '', baseText = '']: readonly string[]): Difference | undefined {
  const kind = wholeNumber('a difference', kindText || '0', 0, LAST_CODE);
  const { differenceCount } = RECIPE_LIMITS;
  const count = wholeNumber('a difference count', countText || DEFAULT_COUNT, -differenceCount, differenceCount);
  const unit = TIME_UNITS[wholeNumber('a difference unit', unitText || DEFAULT_UNIT, 0, TIME_UNITS.length - 1)]!;
  const base = baseText === '' ? null : parseRequestDate(baseText);
  if (baseText !== '' && base === null) throw bad('a UTC date like 2024-01-31T12:00:00Z as base', baseText);
  const difference = differenceOfCode(kind, { count, unit, baseMs: base === null ? null : Math.floor(base) });
  if (difference === null) throw bad('the time of the base image in a base difference or ratio', undefined);
  return difference;
}

interface Shape {
  readonly sourceId: number;
  /** visible, opacity, difference, diffCount, diffTime, baseDiffTime; the last four may be missing. */
  readonly rest: readonly string[];
}

function numericShape(group: readonly string[]): Shape {
  if (group.length < NUMERIC.min || group.length > NUMERIC.max) {
    throw bad(`${NUMERIC.min} to ${NUMERIC.max} elements in a group`, `[${group}]`);
  }
  const source = findSource(Number(group[0]));
  if (!source) throw bad('the id of a datasource', group[0], suggestionFor(group[0]!));
  return { sourceId: source.id, rest: group.slice(1) };
}

/** Number of names at the start of a named group; below 1 for a group that is too short. */
export const namesIn = (group: readonly string[]): number =>
  group.length - (group.length >= NAMED_WITH_DIFFERENCE ? WITH_DIFFERENCE : 2);

function namedShape(group: readonly string[]): Shape {
  if (group.length < NAMED.min || group.length > NAMED.max) {
    throw bad(`${NAMED.min} to ${NAMED.max} parts in a group of names`, `[${group}]`);
  }
  const end = namesIn(group);
  const names = group.slice(0, end);
  const source = sourceByNames(names);
  if (!source) throw bad('a known datasource', names.join(','), suggestionFor(names.join(' ')));
  return { sourceId: source.id, rest: group.slice(end) };
}

function layerOf(group: readonly string[]): Layer {
  const { sourceId, rest } = /^\d+$/.test(group[0]!) ? numericShape(group) : namedShape(group);
  const [visibleText = '', opacityText = '', ...differenceTexts] = rest;
  const visible = wholeNumber('an order', visibleText, 0, LARGEST_ORDER);
  const opacity = opacityOf(opacityText);
  if (visible > USUAL_ORDERS && opacity <= 1) {
    const names = group.slice(0, group.length - rest.length);
    const meant = suggestedGroup([...names, opacityText, visibleText, ...differenceTexts]);
    throw bad('visible and then opacity in a group', `[${group}]`, meant);
  }
  return { sourceId, isVisible: visible > 0, opacity, difference: differenceOf(differenceTexts) };
}

const thrown = (failure: Error): undefined => {
  throw failure;
};

/**
 * The visible layers of a layers notation, from the bottom to the top.
 * @param parameters Those that name the operations of all layers
 * @throws Failure naming `layers`: `no-layers` when none is visible, `layer-count` when there are more than
 *   RECIPE_LIMITS.layers, `bad-parameter` for anything else
 */
export function parseLayers(text: string, parameters: object = {}): Layer[] {
  const groups = bracketGroups(text, NOTATION);
  const layers = withOperations(groups.map(layerOf), parameters, thrown).filter(isDrawn);
  const details = { parameter: 'layers' };
  if (layers.length === 0)
    throw new Failure('no-layers', `Expected at least one visible layer for layers, got ${shown(text)}.`, details);
  if (layers.length > RECIPE_LIMITS.layers) {
    const sentence = `Expected at most ${RECIPE_LIMITS.layers} visible layers for layers, got ${layers.length}.`;
    throw new Failure('layer-count', sentence, details);
  }
  return layers;
}

/** The notation of layers, the inverse of parseLayers. `timeText`: writes the time of a base image. */
export const printLayers = (layers: readonly Layer[], timeText?: (ms: number) => string): string =>
  layers
    .map(
      (layer) => `[${layer.sourceId},${layer.isVisible ? 1 : 0},${layer.opacity}${printDifference(layer.difference, timeText)}]`,
    )
    .join(',');

interface OfSource {
  readonly sourceId: number;
}

/** `SDO AIA 171`: the names of the source's levels. */
export function layerLabel({ sourceId }: OfSource): string {
  const source = findSource(sourceId);
  return source
    ? pathOf(source)
        .map((level) => level.name)
        .join(' ')
    : '';
}

/** `SDO AIA 171, SOHO LASCO C2 white-light` */
export function layersTitle(layers: readonly OfSource[]): string {
  return layers.map(layerLabel).join(', ');
}

/** `AIA_171__LASCO_C2`: source nicknames without blanks and slashes. */
export function layersFileName(layers: readonly OfSource[]): string {
  return layers.map(({ sourceId }) => (findSource(sourceId)?.nickname ?? '').replace(/[ /]/g, '_')).join('__');
}

/** `2024_01_01_12_00_00_AIA_171__LASCO_C2.png`: the requested time and the layers. */
export function screenshotFileName({ atMs, layers }: { readonly atMs: number; readonly layers: readonly OfSource[] }): string {
  const date = formatIso(atMs).slice(0, 19).replace(/[-:T]/g, '_');
  return `${date}_${layersFileName(layers)}.png`;
}
