// What JHelioviewer reads: its list of servers (Settings/sources.json), and requests for images (`jhv.load.request` of SAMP).
import { formatIso } from '../time.ts';
import type { View } from './view.ts';

/** Name of this service in the list of servers, by which requests choose it. */
const SERVER = 'helioedge';
const HALF_DAY_MS = 43_200_000;

/** The list of servers with this service. */
export const serversOf = (origin: string): string =>
  `{"org.helioviewer.jhv.source.image": [{"name": "${SERVER}", "label": "helioedge", "api": "${origin}/v2/"}]}`;

/** The day around a view: `2024-05-09T19:00:00Z`. */
export const dayAround = (atMs: number): [string, string] => [formatIso(atMs - HALF_DAY_MS), formatIso(atMs + HALF_DAY_MS)];

/**
 * A request for the visible layers of a view, for the day around it. Datasets are the names of the levels below the observatory;
 * a level that repeats the one above is left out.
 */
export function requestOf(
  { atMs, layers }: Pick<View, 'layers'> & { readonly atMs: number },
  sources: readonly { readonly sourceId: number; readonly path: readonly string[] }[],
): object {
  const [startTime, endTime] = dayAround(atMs).map((time) => time.replace('Z', ''));
  const images = layers.flatMap(({ sourceId, isVisible }) => {
    const path = sources.find((source) => source.sourceId === sourceId)?.path;
    if (!isVisible || !path) return [];
    const [observatory, ...names] = path;
    const dataset = names.filter((name, i) => name !== names[i - 1]).join(' ');
    return [{ server: SERVER, observatory, dataset, startTime, endTime }];
  });
  return { 'org.helioviewer.jhv.request.image': images };
}
