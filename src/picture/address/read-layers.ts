// Reads the layers of an address: by id or by the names of helioviewer.org, with notes about what is shown instead.
import { findSource, sourceByNames } from '../../domain/catalogue/sources.ts';
import { Failure } from '../../domain/errors.ts';
import { parseWrittenDate } from '../../domain/time.ts';
import { bracketGroups } from '../groups.ts';
import { type Layer, namesIn, plainLayer } from '../layers.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import { type Difference, differenceOfCode, TIME_UNITS } from '../operations/difference.ts';
import { withOperations } from '../operations/operations.ts';
import { MOST_LAYERS, NEWEST_SUN, type Note } from './view.ts';

const SHOWN_CHARACTERS = 60;

/** Text of an address as notes repeat it. */
export const shortened = (text: string): string => text.slice(0, SHOWN_CHARACTERS);

/** Codes of layers without a difference. */
const NONE = ['', '0'];

function differenceOf(texts: readonly string[], notes: Note[]): Difference | undefined {
  const [kind = '', count = '', unit = '', base = ''] = texts;
  if (NONE.includes(kind)) return undefined;
  const amount = Number(count || 1);
  const isCount = Number.isInteger(amount) && Math.abs(amount) <= RECIPE_LIMITS.differenceCount;
  const parts = { count: isCount ? amount : null, unit: TIME_UNITS[Number(unit || 1)] ?? null, baseMs: parseWrittenDate(base) };
  const difference = differenceOfCode(Number(kind), parts);
  if (difference !== null) return difference;
  notes.push({ kind: 'bad-difference', given: shortened(texts.join(',')) });
  return undefined;
}

function opacityOf(text: string, notes: Note[]): number {
  const value = Number(text || 100);
  if (value >= 0 && value <= 100) return value;
  const used = Number.isFinite(value) ? Math.min(Math.max(value, 0), 100) : 100;
  notes.push({ kind: 'bad-opacity', given: shortened(text), used });
  return used;
}

function layer(sourceId: number, [visible, opacity = '', ...difference]: readonly string[], notes: Note[]): Layer {
  return {
    sourceId,
    isVisible: visible !== '0',
    opacity: opacityOf(opacity, notes),
    difference: differenceOf(difference, notes),
  };
}

/** The source of an id as text, with a note when the id is an alias or unknown. */
function sourceOf(given: string, notes: Note[]): number | null {
  const source = /^\d{1,9}$/.test(given) ? findSource(Number(given)) : undefined;
  if (!source) notes.push({ kind: 'unknown-source', given: shortened(given) });
  else if (source.id !== Number(given)) notes.push({ kind: 'alias', given, sourceId: source.id, name: source.nickname });
  return source?.id ?? null;
}

function layerOf(group: readonly string[], notes: Note[]): Layer | null {
  if (/^\d+$/.test(group[0] ?? '')) {
    const sourceId = sourceOf(group[0]!, notes);
    return sourceId === null ? null : layer(sourceId, group.slice(1), notes);
  }
  const names = group.slice(0, Math.max(namesIn(group), 1));
  const source = sourceByNames(names);
  if (!source) notes.push({ kind: 'unknown-source', given: shortened(names.join(' ')) });
  return source ? layer(source.id, group.slice(names.length), notes) : null;
}

function listedLayers(text: string, notes: Note[]): Layer[] {
  const notation = { parameter: 'imageLayers', example: '[10,1,100]', maxCharacters: RECIPE_LIMITS.layersCharacters };
  try {
    // The web client ends its list with a comma.
    const layers = bracketGroups(text.replace(/,\s*$/, ''), notation).flatMap((group) => layerOf(group, notes) ?? []);
    if (layers.length > MOST_LAYERS) notes.push({ kind: 'too-many-layers', given: layers.length });
    return layers.slice(0, MOST_LAYERS);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push({ kind: 'bad-layers', given: shortened(text) });
    return [];
  }
}

/** The notes about an address without readable layers: the last one about a source names the source that is shown. */
function withSubstitute(notes: readonly Note[]): Note[] {
  const last = notes.findLastIndex(({ kind }) => kind === 'unknown-source');
  const instead = findSource(NEWEST_SUN.layers[0]!.sourceId)!.nickname;
  return notes.map((note, i) => (i === last && note.kind === 'unknown-source' ? { ...note, instead } : note));
}

interface ReadLayers {
  /** AIA 171 where the address has none that can be shown. */
  readonly layers: readonly Layer[];
  readonly notes: readonly Note[];
}

/** The layers of `imageLayers` or of a `sourceId`; either may be missing. */
export function readLayers(listed: string | null, single: string | null): ReadLayers {
  const notes: Note[] = [];
  const layers = listed
    ? listedLayers(listed, notes)
    : single
      ? [sourceOf(single, notes)].flatMap((id) => (id === null ? [] : plainLayer(id)))
      : [];
  if (layers.length > 0) return { layers, notes };
  if (listed && notes.length === 0) notes.push({ kind: 'bad-layers', given: shortened(listed) });
  return { layers: NEWEST_SUN.layers, notes: withSubstitute(notes) };
}

/** Layers with the operations that an address names for each of them, the readable ones alone. */
export function withAddressedOperations(layers: readonly Layer[], query: URLSearchParams, notes: Note[]): readonly Layer[] {
  const refused = new Set<string>();
  const operated = withOperations(layers, Object.fromEntries([...query].reverse()), (failure) => {
    if (!(failure instanceof Failure)) throw failure;
    refused.add(failure.parameter ?? '');
    return undefined;
  });
  notes.push(...[...refused].map((name): Note => ({ kind: 'bad-operation', given: shortened(`${name}=${query.get(name)}`) })));
  return operated;
}
