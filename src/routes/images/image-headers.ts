// Headers that say which image an answer shows, so that nobody takes a far image for a near one.
import type { ArchivedImage } from '../../domain/image.ts';

/**
 * X-Image-Date: when the image was taken, ISO 8601. X-Image-Distance: seconds from the requested time to it, negative when
 * the image is older; 0 for an image that was asked for by its id, which is exactly the one that was wanted.
 */
export function imageHeaders(image: ArchivedImage, distanceSeconds = 0): Record<string, string> {
  return { 'X-Image-Date': new Date(image.takenAtMs).toISOString(), 'X-Image-Distance': String(distanceSeconds) };
}
