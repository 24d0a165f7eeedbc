// Headers that describe the images of a response.
import type { FramePlan, PlannedLayer } from '../../archive/drawing/frame-renderer.ts';
import type { NearestImage } from '../../archive/find-image.ts';
import { imageTags, nearestTags } from '../../archive/keys.ts';
import type { HeaderName } from '../../platform/http/parameters.ts';
import { type CachePolicy, IMMUTABLE, RECENT } from '../../platform/http/response.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { type Services, settledPolicy } from '../services.ts';

/** X-Image-Date: observation time, ISO 8601. X-Image-Distance: image time minus requested time in seconds; 0 for an id. */
export function imageHeaders(image: ArchivedImage, distanceSeconds = 0): Record<string, string> {
  return { 'X-Image-Date': new Date(image.takenAtMs).toISOString(), 'X-Image-Distance': String(distanceSeconds) };
}

/** Headers and cache policy of a response that is made of one image alone, requested by its id. */
export const imageFacts = (image: ArchivedImage) => ({
  policy: IMMUTABLE,
  headers: imageHeaders(image),
  lastModifiedMs: image.takenAtMs,
  tags: imageTags(image),
});

/** Policy and tags of a response with the nearest image at a time: a day where the addition of a nearer one purges it. */
export function nearestFacts(
  { image, isSettled }: Pick<NearestImage, 'image' | 'isSettled'>,
  atMs: number,
  services: Pick<Services, 'sample'>,
): { readonly policy: CachePolicy; readonly tags: readonly string[] } {
  const tags = nearestTags(image, atMs);
  return isSettled && tags ? { policy: settledPolicy(services), tags } : { policy: RECENT, tags: imageTags(image) };
}

/** Tags of a picture: of the images of its layers, those that differences subtract included. */
export function pictureTags({ layers }: FramePlan): string[] {
  return layers.flatMap(({ image, reference }) => [image, ...(reference ? [reference] : [])].flatMap(imageTags));
}

/** Headers of `pictureHeaders`, and the file name. */
export const PICTURE_HEADERS = [
  'Content-Disposition',
  'X-Image-Date',
  'X-Image-Distance',
  'X-Image-Scale',
  'X-Layer-Images',
  'X-Layers-Far',
] as const satisfies readonly HeaderName[];

const nickname = ({ image }: PlannedLayer): string => findSource(image.sourceId)?.nickname ?? '';

/** Distance in time from which the image of a layer is far. */
const FAR_SECONDS = DAY_MS / SECOND_MS;

const signed = (seconds: number): string => (seconds > 0 ? `+${seconds}` : String(seconds));

/** Headers of a picture by its layers, from the bottom to the top, as `HEADERS` describes them. */
export function pictureHeaders({ recipe, layers }: FramePlan): Record<string, string> {
  const images = layers.map((layer) => {
    const takenAt = new Date(layer.image.takenAtMs).toISOString();
    return `${nickname(layer)} ${takenAt} ${signed(layer.distanceSeconds)}`;
  });
  const far = layers.filter(({ distanceSeconds }) => Math.abs(distanceSeconds) > FAR_SECONDS).map(nickname);
  const furthest = layers.reduce((a, b) => (Math.abs(b.distanceSeconds) > Math.abs(a.distanceSeconds) ? b : a));
  return {
    ...imageHeaders(furthest.image, furthest.distanceSeconds),
    'X-Layer-Images': images.join('; '),
    ...(far.length ? { 'X-Layers-Far': far.join('; ') } : {}),
    'X-Image-Scale': String(recipe.imageScaleArcsecPerPixel),
  };
}
