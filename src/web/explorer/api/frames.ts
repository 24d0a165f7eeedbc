// Grey frames of images, for pictures that play.
import { pathOf, ServiceError } from '../../../../clients/typescript/core.ts';
import { describedIn, type Tiles } from '../../../picture/moving-frame.ts';
import { type Operations, operationQuery } from '../../../picture/operations/operations.ts';
import { MINUTE_MS } from '../../../util/durations.ts';
import { retry } from '../../../util/retry.ts';
import { texts } from '../texts.ts';
import { mayPass, PageError, requestResponse } from './request.ts';

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

/**
 * A decoded frame. A failure that may pass is followed by further attempts, as the service asks for.
 * @param onRetry Called after such a failure
 * @throws as `requestResponse`; PageError for a file that is no frame
 */
export const loadFrame = (path: string, signal: AbortSignal, onRetry?: () => void) =>
  retry(() => loadOnce(path, signal), {
    attempts: ATTEMPTS,
    firstMs: FIRST_WAIT_MS,
    longestMs: MINUTE_MS,
    signal,
    isTransient: mayPass,
    askedMs: (error) => (error instanceof ServiceError ? error.retryAfterMs : null),
    ...(onRetry ? { onRetry } : {}),
  });
