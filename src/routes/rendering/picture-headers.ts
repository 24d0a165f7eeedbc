// Headers that say which images a picture shows, so that nobody takes a far image for a near one.
import { findSource } from '../../domain/catalogue/sources.ts';
import type { FramePlan, PlannedLayer } from '../../services/rendering/frame-plan.ts';
import { imageHeaders } from '../images/image-headers.ts';

const nickname = ({ image }: PlannedLayer): string => findSource(image.sourceId)?.nickname ?? '';

function signed(seconds: number): string {
  return seconds > 0 ? `+${seconds}` : String(seconds);
}

/**
 * X-Layer-Images: for each layer, from the bottom to the top, its source, when its image was taken, and how many seconds
 * after (+) or before (-) the requested time that was. X-Layers-Far: the layers whose image is further away than
 * `farSeconds`; absent when all are near. X-Image-Date and X-Image-Distance: those of the layer furthest from that time.
 * X-Image-Scale: arcseconds per pixel.
 */
export function pictureHeaders({ recipe, layers }: FramePlan, farSeconds: number): Record<string, string> {
  const images = layers.map((layer) => {
    const takenAt = new Date(layer.image.takenAtMs).toISOString();
    return `${nickname(layer)} ${takenAt} ${signed(layer.distanceSeconds)}`;
  });
  const far = layers.filter(({ distanceSeconds }) => Math.abs(distanceSeconds) > farSeconds).map(nickname);
  const furthest = layers.reduce((a, b) => (Math.abs(b.distanceSeconds) > Math.abs(a.distanceSeconds) ? b : a));
  return {
    ...imageHeaders(furthest.image, furthest.distanceSeconds),
    'X-Layer-Images': images.join('; '),
    ...(far.length ? { 'X-Layers-Far': far.join('; ') } : {}),
    'X-Image-Scale': String(recipe.imageScaleArcsecPerPixel),
  };
}
