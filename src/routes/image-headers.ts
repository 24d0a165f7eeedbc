// Headers that say which image an answer shows, so that nobody takes a far image for a near one.
import type { ArchivedImage } from '../domain/image.ts';

/**
 * X-Image-Date: when the image was taken, ISO 8601. X-Image-Distance: seconds from the requested time to it, negative
 * when the image is older; absent where no time was requested.
 */
export function imageHeaders(image: ArchivedImage, distanceSeconds?: number): Record<string, string> {
  const taken = { 'X-Image-Date': new Date(image.takenAtMs).toISOString() };
  return distanceSeconds === undefined ? taken : { ...taken, 'X-Image-Distance': String(distanceSeconds) };
}
