// What JHelioviewer reads: its list of servers (Settings/sources.json), and requests for images (`jhv.load.request` of SAMP).
import type { View } from '../../picture/address/view.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { formatIso } from '../../sun/time.ts';

const HALF_DAY_MS = 43_200_000;

/** The list of servers with this service, by whose name requests choose it. */
export const serversOf = (origin: string): string =>
  `{"org.helioviewer.jhv.source.image": [{"name": "${SERVICE_NAME}", "label": "${SERVICE_NAME}", "api": "${origin}/v2/"}]}`;

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
    return [{ server: SERVICE_NAME, observatory, dataset, startTime, endTime }];
  });
  return { 'org.helioviewer.jhv.request.image': images };
}
