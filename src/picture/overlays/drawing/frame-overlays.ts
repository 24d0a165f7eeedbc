// All overlays of a frame, in drawing order. The drawings of `drawings/*.svg` are markup for them.
import { drawings } from '#overlay-assets';
import type { Observer } from '../../../sun/coordinates/observer.ts';
import type { PlanePoint } from '../../../sun/coordinates/picture-plane.ts';
import type { Point } from '../../../sun/coordinates/rings.ts';
import type { Size } from '../../../sun/image.ts';
import type { Picture } from '../../picture.ts';
import { PLANE } from '../../projection.ts';
import { mappingOf } from '../../projections/projections.ts';
import type { Box, Drawing, LayerCaption, MovieMarker, Overlay, OverlayFrame, OverlayKit, SeenBodies } from '../overlay.ts';
import { decimal, LEVELS, overlap } from '../overlay.ts';
import { drawnOverlays } from '../overlays.ts';
import { type EventMarker, eventPin, eventRegions, isPlaced, pinBox, placeLabels } from './event-markers.ts';
import { cleanLine, textElement, textWidth } from './text.ts';

const ROOT = /^\s*<svg [^>]*viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"[^>]*>(.*)<\/svg>\s*$/s;

function parse(document: string): Drawing {
  const [, width, height, markup] = ROOT.exec(document) ?? [];
  if (markup === undefined) throw new Error('A drawing of the overlays is not an SVG document with a viewBox.');
  const compact = markup
    .replace(/<!--.*?-->|<title>.*?<\/title>/gs, '')
    .replace(/>\s+</g, '><')
    .trim();
  return { width: Number(width), height: Number(height), markup: compact };
}

const MARK = parse(drawings.mark);
const NAME = parse(drawings.name);

/** Mark and name of the service. */
export const LOGO: Drawing = { ...NAME, markup: MARK.markup + NAME.markup };

const EARTH = parse(drawings.earth);
const MOON = parse(drawings.moon);

/** Diameter of the moon in the sky of the eclipse image, arcseconds. */
const MOON_ARCSEC = 1920;

/** The opaque moon of the eclipse image, in the middle of the frame: 128 pixels across at 15 arcseconds per pixel. */
export function moon(frame: Size, scaleArcsecPerPixel: number): Overlay {
  const diameter = Math.round(MOON_ARCSEC / scaleArcsecPerPixel);
  const x = Math.round(frame.width / 2 + 1 - diameter / 2);
  const y = Math.round(frame.height / 2 + 1 - diameter / 2);
  const transform = `scale(${diameter / MOON.width}) translate(${MOON.width / 2} ${MOON.height / 2})`;
  return { x, y, width: diameter, height: diameter, svg: `<g transform="${transform}">${MOON.markup}</g>` };
}

export const KIT: OverlayKit = { cleanLine, textWidth, textElement, drawings: { logo: LOGO, mark: MARK, earth: EARTH } };

/** Frames smaller than this in either direction show no events. */
const MIN_SIDE_PX = 200;

const anchorY = ({ anchor, y }: EventMarker) => anchor?.[1] ?? y;

/** Opacity of pins under the watermark or the scale indicator, whose text would otherwise be unreadable. */
const COVERED_OPACITY = 0.35;

function pinBelow(marker: EventMarker, taken: readonly Box[]): Overlay {
  const pin = eventPin(marker);
  const isCovered = taken.some((box) => overlap(pin, box));
  return isCovered ? { ...pin, svg: `<g opacity="${COVERED_OPACITY}">${pin.svg}</g>` } : pin;
}

/** Regions, then pins from top to bottom, then labels, which avoid `taken`, boxes drawn over the pins; nothing on small frames. */
export function eventOverlays(markers: readonly EventMarker[], frame: Size, taken: readonly Box[] = []): Overlay[] {
  if (frame.width < MIN_SIDE_PX || frame.height < MIN_SIDE_PX) return [];
  const whole = { x: 0, y: 0, ...frame };
  const regions = eventRegions(markers).filter((region) => overlap(region, whole));
  const seen = markers.filter((marker) => isPlaced(marker) && overlap(pinBox(marker), whole));
  const fromTheTop = seen.toSorted((a, b) => anchorY(a) - anchorY(b));
  const { leaders, labels } = placeLabels(fromTheTop, frame, taken);
  return [...regions, ...leaders, ...fromTheTop.map((marker) => pinBelow(marker, taken)), ...labels];
}

/** Contents of the overlays of a frame. Positions are in pixels of the frame. */
export interface OverlayContent {
  readonly captions?: readonly LayerCaption[];
  readonly observer?: Observer | undefined;
  readonly events?: readonly EventMarker[];
  readonly movies?: readonly MovieMarker[];
  readonly bodies?: SeenBodies;
  readonly moon?: boolean;
}

export type OverlaidRecipe = Pick<
  Picture,
  'width' | 'height' | 'projection' | 'region' | 'imageScaleArcsecPerPixel' | 'overlays' | 'overlayMagnification'
>;

function layOut({ overlays }: OverlaidRecipe, frame: OverlayFrame, { events = [], ...content }: OverlayContent): Overlay[] {
  const drawn = drawnOverlays(overlays).sort((a, b) => LEVELS.indexOf(a.record.level) - LEVELS.indexOf(b.record.level));
  const below: Overlay[] = [];
  const markers: Overlay[] = [];
  const above: Overlay[] = [];
  for (const { record, value } of drawn) {
    const into = record.level === 'ground' ? below : record.level === 'marker' ? markers : above;
    into.push(...record.draw(value, { ...frame, taken: [...above] }));
  }
  return [
    ...below,
    ...eventOverlays(events, frame, above),
    ...markers,
    ...above,
    ...(content.moon ? [moon(frame, frame.scaleArcsecPerPixel)] : []),
  ];
}

/** The markers in pixels of a frame that is `magnification` times smaller. */
function reduced<C extends Pick<OverlayContent, 'events' | 'movies'>>(content: C, magnification: number): C {
  const point = ([x, y]: Point): Point => [x / magnification, y / magnification];
  const moved = <P extends { readonly x: number; readonly y: number }>(at: P): P => ({
    ...at,
    x: at.x / magnification,
    y: at.y / magnification,
  });
  const events = content.events?.map((marker) => ({
    ...moved(marker),
    ...(marker.anchor ? { anchor: point(marker.anchor) } : {}),
    polygons: marker.polygons.map((polygon) => polygon.map(point)),
    ...(marker.ghosts ? { ghosts: marker.ghosts.map((ghost) => ghost.map(point)) } : {}),
  }));
  return { ...content, ...(events ? { events } : {}), ...(content.movies ? { movies: content.movies.map(moved) } : {}) };
}

/** An overlay of the smaller frame in the full-size frame, in a box of whole pixels. */
function magnified({ x, y, width, height, svg }: Overlay, magnification: number): Overlay {
  const [left, top] = [x * magnification, y * magnification];
  const box = { x: Math.floor(left), y: Math.floor(top) };
  const moved = `translate(${decimal(left - box.x)} ${decimal(top - box.y)})`;
  return {
    ...box,
    width: Math.ceil((x + width) * magnification) - box.x,
    height: Math.ceil((y + height) * magnification) - box.y,
    svg: `<g transform="${moved} scale(${magnification})">${svg}</g>`,
  };
}

/** The overlays of a picture, laid out in a frame smaller by the magnification and scaled up, so that marked positions stay. */
export function frameOverlays(recipe: OverlaidRecipe, content: OverlayContent): Overlay[] {
  const { region, imageScaleArcsecPerPixel, overlayMagnification: magnification = 1 } = recipe;
  const scale = imageScaleArcsecPerPixel * magnification;
  const shown = magnification === 1 ? content : reduced(content, magnification);
  const frame = {
    width: recipe.width / magnification,
    height: recipe.height / magnification,
    scaleArcsecPerPixel: scale,
    pixelOf: ({ x, y }: PlanePoint): Point => [(x - region.left) / scale, (y - region.top) / scale],
    pixelAt: (x: number, y: number) => ({
      x: Math.round((x - region.left) / imageScaleArcsecPerPixel) / magnification,
      y: Math.round((-y - region.top) / imageScaleArcsecPerPixel) / magnification,
    }),
    captions: shown.captions ?? [],
    mapping: shown.observer ? mappingOf(recipe.projection ?? PLANE, shown.observer) : null,
    movies: shown.movies ?? [],
    bodies: shown.bodies ?? null,
    taken: [],
    kit: KIT,
  };
  const overlays = layOut(recipe, frame, shown);
  return magnification === 1 ? overlays : overlays.map((overlay) => magnified(overlay, magnification));
}
