// Reads the address of a view: links of this page, of its earlier versions, and of helioviewer.org.
import { findSource } from '../../sun/catalogue/sources.ts';
import { isDate, parseWrittenDate } from '../../sun/time.ts';
import { readEventLayers } from '../events/event-layers.ts';
import { readLayers } from '../layers.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import { shortened, withoutTrailingCommas } from '../notation.ts';
import { PLANE, type Projection, parseProjection } from '../projection.ts';
import { NEWEST_SUN, type Note, readPlay, VIEW_OVERLAYS, type View, viewOverlays } from './view.ts';

/** A value of a group of layers, without the marks of the notation. */
function element(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).replace(/[[\],]/g, ' ') : '';
}

const HIDDEN: readonly unknown[] = [false, 0, 'false', '0'];

function groupOf(value: unknown): string {
  const { sourceId, nickname, visible, opacity, difference, diffCount, diffTime, baseDiffTime } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const source = element(sourceId) || element(nickname) || '?';
  const parts = [source, HIDDEN.includes(visible) ? '0' : '1', element(opacity)];
  const code = Number(difference);
  if (code === 1) parts.push('1', element(diffCount), element(diffTime));
  if (code > 1) parts.push(element(code), '', '', element(baseDiffTime));
  return `[${parts.join(',')}]`;
}

function dateText(date: unknown): string {
  if (date === null || date === undefined) return '';
  return typeof date === 'number' && isDate(date) ? new Date(date).toISOString() : String(date);
}

/** The address of the view, without events and bodies. */
export function addressOfClientState(state: object): URLSearchParams {
  const { date, imageLayers, ...place } = state as Record<string, unknown>;
  const query = new URLSearchParams({ date: dateText(date) });
  for (const name of ['centerX', 'centerY', 'imageScale']) query.set(name, String(place[name] ?? ''));
  if (Array.isArray(imageLayers)) query.set('imageLayers', imageLayers.map(groupOf).join(',') || '[]');
  return query;
}

export interface ReadView {
  readonly view: View;
  /** Elements that are unreadable or have no meaning: of time, range of play, layers, projection, place and events, in this order. */
  readonly notes: readonly Note[];
}

/** The types of events of an address, in which a pin may stand alone. */
const eventsOf = (text: string, notes: Note[]): View['events'] =>
  readEventLayers(/^none$/i.test(text.trim()) ? '' : withoutTrailingCommas(text), (_, pin) => {
    if (pin) notes.push({ kind: 'unknown-event', given: shortened(pin) });
  });

/** A number of the address, null without one, with a note for anything else. */
function numberOf(query: URLSearchParams, name: string, limits: { min: number; max: number }, notes: Note[]): number | null {
  const text = query.get(name);
  if (!text) return null;
  const value = Number(text);
  if (Number.isFinite(value) && value >= limits.min && value <= limits.max) return value;
  notes.push({ kind: 'bad-place', given: `${name}=${shortened(text)}` });
  return null;
}

/** The place: a scale, and a centre if it is complete. A part that has no meaning without another one is noted. */
function placeOf(query: URLSearchParams, notes: Note[]): Pick<View, 'centre' | 'imageScale'> {
  const bad: Note[] = [];
  const most = RECIPE_LIMITS.coordinateArcsec;
  const x = numberOf(query, 'centerX', { min: -most, max: most }, bad);
  const y = numberOf(query, 'centerY', { min: -most, max: most }, bad);
  const imageScale = numberOf(query, 'imageScale', RECIPE_LIMITS.imageScaleArcsecPerPixel, bad);
  notes.push(...bad);
  if (x !== null && y !== null && imageScale !== null) return { centre: { x, y }, imageScale };
  const left = [...(x === null ? [] : [`centerX=${x}`]), ...(y === null ? [] : [`centerY=${y}`])];
  if (left.length > 0 && bad.length === 0) notes.push({ kind: 'half-place', given: left.join('&') });
  return { centre: null, imageScale };
}

function projectionOf(text: string | null, notes: Note[]): Projection {
  try {
    if (text) return parseProjection(text);
  } catch {
    notes.push({ kind: 'bad-projection', given: shortened(text!) });
  }
  return PLANE;
}

function dateOf(text: string | null, notes: Note[]): number | null {
  if (!text || text === 'newest') return null;
  // A plus sign of an offset that was not encoded arrives as a space.
  const atMs = parseWrittenDate(text) ?? parseWrittenDate(text.replace(/ (?=\d{2}:?\d{2}$)/, '+'));
  if (atMs !== null && isDate(atMs)) return atMs;
  notes.push({ kind: 'bad-date', given: shortened(text) });
  return null;
}

/** The layers of `imageLayers` or of a `sourceId`; the newest Sun where the address has none that can be shown. */
function layersOf(query: URLSearchParams, notes: Note[]): View['layers'] {
  const usual = NEWEST_SUN.layers[0]!.sourceId;
  const text = query.get('imageLayers') ?? query.get('layers');
  const { layers, notes: read } = readLayers(
    text || `[${query.get('sourceId') || usual}]`,
    Object.fromEntries([...query].reverse()),
  );
  const last = layers.length === 0 ? read.findLastIndex(({ kind }) => kind === 'unknown-source') : -1;
  const instead = findSource(usual)!.nickname;
  notes.push(...read.map((note, i) => (i === last ? { ...note, instead } : note)));
  return layers.length === 0 ? NEWEST_SUN.layers : layers;
}

/** The view of an address, with defaults for what is missing or unusable. */
export function readAddress(query: URLSearchParams): ReadView {
  const notes: Note[] = [];
  const atMs = dateOf(query.get('date'), notes);
  const [play, range] = [query.get('play'), readPlay(query.get('play'))];
  if (play && !range) notes.push({ kind: 'bad-play', given: shortened(play) });
  const layers = layersOf(query, notes);
  const view: View = {
    atMs: atMs ?? range?.startMs ?? null,
    layers,
    projection: projectionOf(query.get('projection'), notes),
    ...placeOf(query, notes),
    events: eventsOf(query.get('eventLayers') ?? query.get('events') ?? '', notes),
    overlays: viewOverlays((name) => [name, VIEW_OVERLAYS[name]].some((parameter) => query.get(parameter) === 'true')),
  };
  return { view, notes };
}
