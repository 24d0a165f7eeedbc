// A request for a script that downloads science data, and the parts that scripts of both languages have.

import { layerLabel } from '../../picture/layers.ts';
import type { ScienceSearch } from '../catalogue/datasource.ts';
import { findSource } from '../catalogue/sources.ts';

/** The search for the data of a layer. All texts are constants or names of the catalogue. */
export interface LayerSearch extends ScienceSearch {
  /** Name of the layer, `SDO AIA 171`. */
  readonly label: string;
}

interface ScienceData {
  readonly searches: readonly LayerSearch[];
  /** Names of layers for which no search is known. */
  readonly unknown: readonly string[];
}

/** The searches for the data of layers, each once. */
export function scienceData(sourceIds: readonly number[]): ScienceData {
  const searches = new Map<string, LayerSearch>();
  const unknown: string[] = [];
  for (const source of sourceIds.map(findSource).filter((found) => found !== undefined)) {
    const label = layerLabel({ sourceId: source.id });
    if (source.search) searches.set(label, { label, ...source.search });
    else unknown.push(label);
  }
  return { searches: [...searches.values()], unknown };
}

/** Box of the view in arcseconds from disk centre, x to the west, y DOWN, to the south. */
export interface ScriptBox {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export interface ScriptRequest {
  readonly startMs: number;
  readonly endMs: number;
  readonly data: ScienceData;
  /** Null: the whole disk. */
  readonly box: ScriptBox | null;
  /** Page of the movie that shows the data; null without one. An http address. */
  readonly movieAddress: string | null;
}

/** Lines at the top of a script, without the sign of a comment. */
export function headLines({ data, movieAddress }: ScriptRequest): string[] {
  return [
    'Science data of a view of the Sun.',
    ...(movieAddress === null ? [] : [`Movie: ${movieAddress}`]),
    '',
    'Layers:',
    ...data.searches.map(({ label }) => `  ${label}`),
    ...(data.unknown.length > 0 ? ['', 'Layers whose data no archive of this script has:'] : []),
    ...data.unknown.map((label) => `  ${label}`),
  ];
}

/** Lines as comments. Control characters are replaced, because a line break would end the comment. */
export function commentLines(lines: readonly string[], sign: '#' | ';'): string {
  return lines.map((line) => `${sign} ${line.replace(/\p{Cc}/gu, ' ')}`.trimEnd()).join('\n');
}
