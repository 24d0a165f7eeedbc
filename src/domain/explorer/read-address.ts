// Reads the address of a view: links of this page, of its earlier versions, and of helioviewer.org.
import { findSource, sourceByNames } from '../catalogue/sources.ts';
import { Failure } from '../errors.ts';
import { type Difference, NO_DIFFERENCE, TIME_UNITS } from '../recipe/difference.ts';
import { bracketGroups } from '../recipe/groups.ts';
import { RECIPE_LIMITS } from '../recipe/limits.ts';
import { parseWrittenDate } from '../written-date.ts';
import { MOST_LAYERS, NEWEST_SUN, type Note, type View, type ViewLayer, type ViewPoint } from './view.ts';

export interface ReadView {
  readonly view: View;
  /** Unreadable elements, in the order of the address. */
  readonly notes: readonly Note[];
}

/** Elements of a group of names that states a difference: visible, opacity, difference, count, unit, base. */
const WITH_DIFFERENCE = 6;
const NAMED_WITH_DIFFERENCE = 8;
const SHOWN_CHARACTERS = 60;

const short = (text: string) => text.slice(0, SHOWN_CHARACTERS);

function differenceOf([kind, count, unit, base]: readonly (string | undefined)[]): Difference {
  const amount = Number(count);
  const name = TIME_UNITS[Number(unit ?? 1)];
  if (kind === '1' && Number.isInteger(amount) && name) return { kind: 'running', count: amount, unit: name };
  const atMs = parseWrittenDate(base ?? '');
  return kind === '2' && atMs !== null ? { kind: 'base', atMs } : NO_DIFFERENCE;
}

function opacityOf(text: string | undefined): number {
  const value = Number(text || 100);
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), 100) : 100;
}

function layer(sourceId: number, [visible, opacity, ...difference]: readonly string[]): ViewLayer {
  return { sourceId, isVisible: visible !== '0', opacity: opacityOf(opacity), difference: differenceOf(difference) };
}

/** The source of an id as text, with a note when the id is an alias or unknown. */
function sourceOf(given: string, notes: Note[]): number | null {
  const source = /^\d{1,9}$/.test(given) ? findSource(Number(given)) : undefined;
  if (!source) notes.push({ kind: 'unknown-source', given: short(given) });
  else if (source.id !== Number(given)) notes.push({ kind: 'alias', given, sourceId: source.id });
  return source?.id ?? null;
}

function layerOf(group: readonly string[], notes: Note[]): ViewLayer | null {
  if (/^\d+$/.test(group[0] ?? '')) {
    const sourceId = sourceOf(group[0]!, notes);
    return sourceId === null ? null : layer(sourceId, group.slice(1));
  }
  const end = group.length - (group.length >= NAMED_WITH_DIFFERENCE ? WITH_DIFFERENCE : 2);
  const source = sourceByNames(group.slice(0, Math.max(end, 0)));
  if (!source) notes.push({ kind: 'unknown-source', given: short(group.join(' ')) });
  return source ? layer(source.id, group.slice(end)) : null;
}

function layersOf(text: string, notes: Note[]): ViewLayer[] {
  const notation = { parameter: 'imageLayers', example: '[10,1,100]', maxCharacters: RECIPE_LIMITS.layersCharacters };
  try {
    // The web client ends its list with a comma.
    const layers = bracketGroups(text.replace(/,\s*$/, ''), notation).flatMap((group) => layerOf(group, notes) ?? []);
    if (layers.length > MOST_LAYERS) notes.push({ kind: 'too-many-layers', given: layers.length });
    return layers.slice(0, MOST_LAYERS);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push({ kind: 'bad-layers', given: short(text) });
    return [];
  }
}

function eventsOf(text: string): string[] {
  const pins = [...text.matchAll(/\[([A-Za-z0-9]{2})\b/g)].map((match) => match[1]!.toUpperCase());
  return [...new Set(pins)];
}

/** A number of the address, null without one, with a note for anything else. */
function numberOf(query: URLSearchParams, name: string, limits: { min: number; max: number }, notes: Note[]): number | null {
  const text = query.get(name);
  if (!text) return null;
  const value = Number(text);
  if (Number.isFinite(value) && value >= limits.min && value <= limits.max) return value;
  notes.push({ kind: 'bad-place', given: `${name}=${short(text)}` });
  return null;
}

function centreOf(query: URLSearchParams, notes: Note[]): ViewPoint | null {
  const most = RECIPE_LIMITS.coordinateArcsec;
  const x = numberOf(query, 'centerX', { min: -most, max: most }, notes);
  const y = numberOf(query, 'centerY', { min: -most, max: most }, notes);
  return x === null || y === null ? null : { x, y };
}

function dateOf(text: string | null, notes: Note[]): number | null {
  if (!text || text === 'newest') return null;
  // A plus sign of an offset that was not encoded arrives as a space.
  const atMs = parseWrittenDate(text) ?? parseWrittenDate(text.replace(/ (?=\d{2}:?\d{2}$)/, '+'));
  if (atMs === null) notes.push({ kind: 'bad-date', given: short(text) });
  return atMs;
}

/** The view of an address, with defaults for what is missing or unusable. */
export function readAddress(query: URLSearchParams): ReadView {
  const notes: Note[] = [];
  const atMs = dateOf(query.get('date'), notes);
  const layersText = query.get('imageLayers') ?? query.get('layers');
  const single = query.get('sourceId');
  const asked = layersText
    ? layersOf(layersText, notes)
    : single
      ? [sourceOf(single, notes)].flatMap((id) => (id === null ? [] : layer(id, [])))
      : [];
  const view: View = {
    atMs,
    layers: asked.length > 0 ? asked : NEWEST_SUN.layers,
    centre: centreOf(query, notes),
    imageScale: numberOf(query, 'imageScale', RECIPE_LIMITS.imageScaleArcsecPerPixel, notes),
    events: eventsOf(query.get('eventLayers') ?? query.get('events') ?? ''),
    hasGrid: query.get('grid') === 'true',
    hasEarth: query.get('earth') === 'true' || query.get('scale') === 'true',
  };
  return { view, notes };
}
