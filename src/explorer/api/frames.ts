// Grey frames of images, for pictures that play.
import { describedIn } from '../../picture/moving-frame.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { retry } from '../../platform/util/retry.ts';
import { texts } from '../texts.ts';
import { mayPass, PageError, requestResponse } from './request.ts';

/** Requests of a frame, and the wait before the second, which is doubled for each further one. */
const RETRIES = { attempts: 3, firstMs: 500, longestMs: MINUTE_MS };

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
export const patiently = <T>(load: () => Promise<T>, signal: AbortSignal, onRetry = (): void => undefined): Promise<T> =>
  retry(load, { ...RETRIES, signal, isTransient: mayPass, onRetry });

/**
 * A decoded frame.
 * @param onRetry Called after a failure that may pass
 * @throws as `requestResponse`; PageError for a file that is no frame
 */
export const loadFrame = (path: string, signal: AbortSignal, onRetry?: () => void) =>
  patiently(() => loadOnce(path, signal), signal, onRetry);
