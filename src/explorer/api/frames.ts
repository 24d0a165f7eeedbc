// Grey frames of images, for pictures that play, and the tables by which they are filtered.
import { pathOf } from '../../../clients/typescript/core.ts';
import { describedIn, type FrameTable, type Tiles, tableIn } from '../../picture/moving-frame.ts';
import { isPlain, type Operations, operationQuery, tableOperations } from '../../picture/operations/operations.ts';
import { MOVING_FRAME } from '../../platform/limits/rendering.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { retry } from '../../platform/util/retry.ts';
import { imagesOfLayer, type ShownLayer } from '../picture/frame-layer.ts';
import { texts } from '../texts.ts';
import type { ImageRecord } from './images.ts';
import { mayPass, PageError, received, requestResponse } from './request.ts';

/** Requests of a frame, and the wait before the second in ms, which is doubled for each further one. */
const [ATTEMPTS, FIRST_WAIT_MS] = [3, 500];

/** `layer`: the operations of the frame, in place of which the page has no arithmetic. */
export const framePath = (id: number, { imageScale, x, y, columns, rows }: Tiles, layer: Operations = {}): string =>
  pathOf('getFrame', { id, imageScale, x, y, columns, rows, ...operationQuery(layer) });

/** The picture is decoded aside of the page's own thread; its owner closes it. */
async function loadOnce(path: string, signal: AbortSignal) {
  const response = await requestResponse(path, { signal });
  try {
    const file = new Uint8Array(await response.arrayBuffer());
    const description = describedIn(file)!;
    const blob = new Blob([file], { type: 'image/jpeg' });
    return { picture: await createImageBitmap(blob, { colorSpaceConversion: 'none' }), description };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new PageError(texts.failures.picture);
  }
}

/** What `load` loads. A failure that may pass is followed by further attempts, as the service asks for. */
const patiently = <T>(load: () => Promise<T>, signal: AbortSignal, onRetry?: () => void): Promise<T> =>
  retry(load, {
    attempts: ATTEMPTS,
    firstMs: FIRST_WAIT_MS,
    longestMs: MINUTE_MS,
    signal,
    isTransient: mayPass,
    ...(onRetry ? { onRetry } : {}),
  });

/**
 * A decoded frame.
 * @param onRetry Called after a failure that may pass
 * @throws as `requestResponse`; PageError for a file that is no frame
 */
export const loadFrame = (path: string, signal: AbortSignal, onRetry?: () => void) =>
  patiently(() => loadOnce(path, signal), signal, onRetry);

/** Images whose tables are kept, of 64 KiB each: those of two filters of four layers. */
const MOST_TABLES = 800;

/** `endMs`: when a sketch is asked for again, which is shown until then. */
const tables = new Map<string, FrameTable & { readonly endMs: number }>();

/** The end of a response that is kept for a minute; others stay. */
function endOf({ headers }: Response): number {
  const lifeMs = 1000 * Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1]);
  return lifeMs <= MINUTE_MS ? Date.now() + lifeMs : Number.POSITIVE_INFINITY;
}

const tablesPath = (layer: Operations) => pathOf('getFrameTables', operationQuery(tableOperations(layer)));

/** The table of an image in a layer, if it has been loaded. */
export const frameTable = ({ id }: ImageRecord, layer: Operations) => tables.get(tablesPath(layer) + id);

/**
 * Loads the tables that the images of layers lack, those of one filter by one request.
 * @param isExact Waits until all pixels of the images have been counted
 * @throws as `loadFrame`
 */
export async function loadTables(layers: readonly ShownLayer[], signal: AbortSignal, isExact = false): Promise<void> {
  const most = isExact ? MOVING_FRAME.exactTables : MOVING_FRAME.tables;
  const sinceMs = isExact ? Number.POSITIVE_INFINITY : Date.now();
  const lacking = new Map<string, Set<number>>();
  for (const layer of layers.filter((one) => !isPlain(tableOperations(one))))
    for (const image of imagesOfLayer(layer)) {
      const path = tablesPath(layer);
      if ((frameTable(image, layer)?.endMs ?? 0) < sinceMs) lacking.set(path, (lacking.get(path) ?? new Set()).add(image.id));
    }
  const load = async (path: string, ids: readonly number[]): Promise<void> => {
    const asked = ids.slice(0, most);
    const loadFile = async () => {
      const response = await requestResponse(`${path}&ids=${asked}${isExact ? '&exact=true' : ''}`, { signal });
      const levels = new Response(response.body!.pipeThrough(new DecompressionStream('deflate')));
      return { file: await received(levels.arrayBuffer(), { signal }), endMs: endOf(response) };
    };
    const { file, endMs } = await patiently(loadFile, signal);
    for (const [i, id] of asked.entries()) tables.set(path + id, { ...tableIn(file, i), endMs });
    if (ids.length > asked.length) await load(path, ids.slice(asked.length));
  };
  await Promise.all([...lacking].map(([path, ids]) => load(path, [...ids])));
  for (const key of [...tables.keys()].slice(0, -MOST_TABLES)) tables.delete(key);
}
