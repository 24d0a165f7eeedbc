// The layers notation, and names of layers. A group of the notation is `[sourceId,visible,opacity]` followed by up to four elements of
// difference data, with either an id or the names from observatory to measurement.
import { badParameter, Failure, type Suggestion, shown } from '../platform/util/errors.ts';
import { pathOf } from '../sun/catalogue/datasource.ts';
import { findSource, sourceByNames, suggestedSource } from '../sun/catalogue/sources.ts';
import { formatIso, parseRequestDate, parseWrittenDate } from '../sun/time.ts';
import { RECIPE_LIMITS } from './limits.ts';
import { bracketGroups, shortened, suggestedGroup, withoutTrailingCommas } from './notation.ts';
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
const NUMERIC = { min: 3, max: 7, parts: 'elements in a group', what: 'the id of a datasource' };
/** Elements of the named form: two to four names, or five if a missing detector repeats the instrument. */
const NAMED = { min: 4, max: 10, parts: 'parts in a group of names', what: 'a known datasource' };
/** Length from which a named group ends in all six elements instead of visible and opacity alone. */
const NAMED_WITH_DIFFERENCE = 8;
/** Elements after the names that state a difference: visible, opacity, difference, count, unit, base. */
const WITH_DIFFERENCE = 6;

/** Clients send 1 to 3; every value above 0 means visible. */
const LARGEST_ORDER = 1000;
/** An order above it with an opacity of at most 1 % are an opacity and a flag in the wrong order. */
const USUAL_ORDERS = RECIPE_LIMITS.layers;

const NOTATION = { parameter: 'layers', example: '[13,1,100]', maxCharacters: RECIPE_LIMITS.layersCharacters };

const bad = (what: string, value: unknown, suggestion?: Suggestion): Failure => badParameter('layers', what, value, suggestion);

function suggestionFor(text: string): Suggestion | undefined {
  const source = suggestedSource(text);
  return source && { value: String(source.id), gloss: source.nickname };
}

/** A part of a notation that an address of the page cannot show as it is, or that it reads in another sense. */
export type LayerNote =
  /** `instead`: name of the source that is shown, when the address has no other one. */
  | { readonly kind: 'unknown-source'; readonly given: string; readonly instead?: string }
  | { readonly kind: 'alias'; readonly given: string; readonly sourceId: number; readonly name: string }
  | { readonly kind: 'bad-layers' | 'bad-difference' | 'bad-operation'; readonly given: string }
  /** `used`: percent. */
  | { readonly kind: 'bad-opacity'; readonly given: string; readonly used: number }
  | { readonly kind: 'too-many-layers'; readonly given: number };

/**
 * Takes what is wrong with a notation. The API throws the failure; addresses keep the note, and their layers are shown without the part at
 * fault.
 */
type Report = (failure: Failure | null, note?: LayerNote) => undefined;

function wholeNumber(what: string, text: string, min: number, max: number, report: Report): number | null {
  const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) + 0 : Number.NaN;
  return value >= min && value <= max ? value : (report(bad(`${what} from ${min} to ${max}`, text)) ?? null);
}

function opacityOf(text: string, report: Report): number {
  const value = /^\d{1,15}(\.\d*)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 100) return Math.round(value * 100) / 100;
  const meant = Number(text || 100);
  const used = Number.isFinite(meant) ? Math.min(Math.max(meant, 0), 100) : 100;
  report(
    bad('an opacity from 0 to 100', text),
    used === meant ? undefined : { kind: 'bad-opacity', given: shortened(text), used },
  );
  return used;
}

/** Difference of elements 4 to 7 of a group, one minute unless they say more. Validates all of them, also those that the kind does not use. */
function differenceOf(texts: readonly string[], report: Report): Difference | undefined {
  const [kindText = '', countText = '', unitText = '', baseText = ''] = texts;
  const { differenceCount } = RECIPE_LIMITS;
  const kind = wholeNumber('a difference', kindText || '0', 0, LAST_CODE, report) ?? -1;
  const count = wholeNumber('a difference count', countText || '1', -differenceCount, differenceCount, report);
  const unit = TIME_UNITS[wholeNumber('a difference unit', unitText || '1', 0, TIME_UNITS.length - 1, report) ?? -1] ?? null;
  const badBase = () => report(bad('a UTC date like 2024-01-31T12:00:00Z as base', baseText)) ?? parseWrittenDate(baseText);
  const baseMs = baseText === '' ? null : (parseRequestDate(baseText) ?? badBase());
  const difference = differenceOfCode(kind, count, unit, baseMs && Math.floor(baseMs));
  if (difference !== null) return difference;
  const what = 'the time of the base image in a base difference or ratio';
  return report(bad(what, undefined), { kind: 'bad-difference', given: shortened(texts.join(',')) });
}

/** Number of names at the start of a named group; below 1 for a group that is too short. */
const namesIn = (group: readonly string[]): number =>
  group.length - (group.length >= NAMED_WITH_DIFFERENCE ? WITH_DIFFERENCE : 2);

const UNKNOWN = -1;

/** The layer of a group; its source is UNKNOWN where none has its id or names. */
function layerOf(group: readonly string[], report: Report): Layer {
  const isId = /^\d+$/.test(group[0]!);
  const { min, max, parts, what } = isId ? NUMERIC : NAMED;
  if (group.length < min || group.length > max) report(bad(`${min} to ${max} ${parts}`, `[${group}]`));
  const names = group.slice(0, isId ? 1 : Math.max(namesIn(group), 1));
  const source = isId ? findSource(Number(names[0])) : sourceByNames(names);
  const given = shortened(names.join(' '));
  if (!source) report(bad(what, `${names}`, suggestionFor(names.join(' '))), { kind: 'unknown-source', given });
  else if (isId && source.id !== Number(given))
    report(null, { kind: 'alias', given, sourceId: source.id, name: source.nickname });
  const [visibleText = '', opacityText = '', ...differenceTexts] = group.slice(names.length);
  const order = wholeNumber('an order', visibleText, 0, LARGEST_ORDER, report) ?? Number(visibleText !== 'false');
  const opacity = opacityOf(opacityText, report);
  if (order > USUAL_ORDERS && opacity <= 1) {
    const meant = suggestedGroup([...names, opacityText, visibleText, ...differenceTexts]);
    report(bad('visible and then opacity in a group', `[${group}]`, meant));
  }
  const difference = differenceOf(differenceTexts, report);
  return { sourceId: source?.id ?? UNKNOWN, isVisible: order > 0, opacity, difference };
}

/**
 * The layers of groups, from the bottom to the top, without those of unknown sources.
 * @param parameters Those that name the operations of all layers
 */
export function layersIn(groups: readonly (readonly string[])[], parameters: object, report: Report): Layer[] {
  const refuse = (failure: Error): undefined => {
    if (!(failure instanceof Failure)) throw failure;
    const { parameter = '' } = failure;
    const value = (parameters as Readonly<Record<string, unknown>>)[parameter];
    return report(failure, { kind: 'bad-operation', given: shortened(`${parameter}=${value}`) });
  };
  const layers = groups.map((group) => layerOf(group, report));
  return withOperations(layers, parameters, refuse).filter(({ sourceId }) => sourceId !== UNKNOWN);
}

const thrown: Report = (failure) => {
  if (failure) throw failure;
};

/**
 * The visible layers of a layers notation, from the bottom to the top.
 * @param parameters Those that name the operations of all layers
 * @throws Failure naming `layers`: `no-layers` when none is visible, `layer-count` when there are more than
 *   RECIPE_LIMITS.layers, `bad-parameter` for anything else
 */
export function parseLayers(text: string, parameters: object = {}): Layer[] {
  const layers = layersIn(bracketGroups(text, NOTATION), parameters, thrown).filter(isDrawn);
  const details = { parameter: 'layers' };
  if (layers.length === 0)
    throw new Failure('no-layers', `Expected at least one visible layer for layers, got ${shown(text)}.`, details);
  if (layers.length > RECIPE_LIMITS.layers) {
    const sentence = `Expected at most ${RECIPE_LIMITS.layers} visible layers for layers, got ${layers.length}.`;
    throw new Failure('layer-count', sentence, details);
  }
  return layers;
}

/** The layers of an address, hidden ones too, with notes about those that it shows in another sense; none where it has no readable ones. */
export function readLayers(text: string, parameters: object): { readonly layers: readonly Layer[]; readonly notes: LayerNote[] } {
  const notes = new Map<string, LayerNote>();
  const report: Report = (_, note) => {
    if (note) notes.set(note.kind === 'bad-operation' ? note.given : String(notes.size), note);
  };
  const badLayers = () => report(null, { kind: 'bad-layers', given: shortened(text) });
  let layers: readonly Layer[] = [];
  try {
    const groups = bracketGroups(withoutTrailingCommas(text), NOTATION);
    if (groups.length === 0) badLayers();
    layers = layersIn(groups, parameters, report);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    badLayers();
  }
  if (layers.length > RECIPE_LIMITS.layers) report(null, { kind: 'too-many-layers', given: layers.length });
  return { layers: layers.slice(0, RECIPE_LIMITS.layers), notes: [...notes.values()] };
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
  const path = source ? pathOf(source) : [];
  return path.map(({ name }) => name).join(' ');
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
export function screenshotFileName(
  { atMs, layers }: { readonly atMs: number; readonly layers: readonly OfSource[] },
  extension: string,
): string {
  const date = formatIso(atMs).slice(0, 19).replace(/[-:T]/g, '_');
  return `${date}_${layersFileName(layers)}.${extension}`;
}
