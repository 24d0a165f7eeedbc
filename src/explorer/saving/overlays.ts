// What is drawn over saved pictures and those of saved movies, as the page shows it: grid, limb, outlines and pins of events, captions and
// scale; the credits of the missions, and the mark of the service.
import { mappingOf } from '../../picture/projections/projections.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import { loadCatalogue } from '../api/catalogue.ts';
import type { SolarEvent } from '../api/events.ts';
import { EARTH_DIAMETER_ARCSEC } from '../model/readout.ts';
import { captioned } from '../page/caption.tsx';
import { gridPath, isCutOut, limbCircle, outlinePath, projectedLimb, scaleBar } from '../picture/drawings.ts';
import type { Viewport } from '../picture/geometry.ts';
import { outlinedEvents, PIN_RADIUS, placedPins } from '../picture/pins.tsx';
import type { Screen } from '../picture/screen.ts';
import { pinned, selectedEvent } from '../store/events.ts';
import type { Shown } from '../store/shown.ts';
import { isSynthetic, observerOfImage, sources } from '../store/state.ts';
import { imageTime } from '../texts/times.ts';
import { texts } from '../texts.ts';

type Context = CanvasRenderingContext2D;

interface LineStyle {
  readonly stroke: string;
  readonly width: number;
}

/** The style that the page gives a line. */
function styleOf(name: string, attributes: Readonly<Record<string, string>> = {}): LineStyle {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  for (const [key, value] of Object.entries({ class: name, ...attributes })) line.setAttribute(key, value);
  svg.append(line);
  document.body.append(svg);
  const { stroke, strokeWidth } = getComputedStyle(line);
  const style = { stroke, width: Number.parseFloat(strokeWidth) };
  svg.remove();
  return style;
}

export interface Parts {
  readonly caption: boolean;
  readonly scale: boolean;
  readonly credits: readonly string[];
}

/** The lines of the missions of the visible layers. @throws as `loadCatalogue` */
export async function creditsOf({ view: { layers }, images }: Shown): Promise<readonly string[]> {
  sources.value ??= await loadCatalogue();
  const ids = layers.flatMap(({ sourceId, isVisible }, i) => (isVisible && images[i] ? [sourceId] : []));
  return [...new Set(sources.value.flatMap(({ sourceId, credit }) => (ids.includes(sourceId) ? [credit] : [])))];
}

export interface Overlays {
  readonly parts: Parts;
  /** In pixels of the page, to which the text belongs. */
  readonly viewport: Viewport;
  readonly font: string;
  styleOf(...line: Parameters<typeof styleOf>): LineStyle;
  readonly isSynthetic: boolean;
  readonly icon: CanvasImageSource;
}

/** The present overlays of the page, for an area. @throws DOMException where the mark of the service does not load */
export async function presentOverlays(viewport: Viewport, parts: Parts): Promise<Overlays> {
  const styles = new Map<string, LineStyle>();
  const icon = Object.assign(new Image(), { src: '/explorer/icon.svg' });
  await icon.decode();
  return {
    parts,
    viewport,
    font: getComputedStyle(document.body).fontFamily,
    styleOf: (...line) => {
      const key = JSON.stringify(line);
      const style = styles.get(key) ?? styleOf(...line);
      styles.set(key, style);
      return style;
    },
    isSynthetic: isSynthetic.value,
    icon,
  };
}

function strokeLine(context: Context, path: Path2D, { stroke, width }: LineStyle): void {
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke(path);
}

/** Draws a line on a dark one, which tells it from any picture. */
function strokeCased(context: Context, path: Path2D, overlays: Overlays, ...line: Parameters<typeof styleOf>): void {
  strokeLine(context, path, overlays.styleOf('casing'));
  strokeLine(context, path, overlays.styleOf(...line));
}

/** Distance of texts from the edges, as on the page. */
const EDGE = 12;
const SIZES = { caption: 13.6, small: 12, pin: 10.9 } as const;
const LABEL = { offset: 14, height: 16, padding: 4 } as const;
const INK = '#dfe3ec';
const AMBER = '#ffcb6b';

/** Text with a dark edge, which stays readable over any picture. */
function write(context: Context, text: string, at: readonly [x: number, y: number], mostWidth: number): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = '#000c';
  context.strokeText(text, ...at, mostWidth);
  context.fillText(text, ...at, mostWidth);
}

function drawSky(context: Context, overlays: Overlays, { view, images }: Shown, from: Observer, screen: Screen): void {
  if (!(view.overlays.grid || isCutOut(images))) return;
  const projected = projectedLimb(from, screen);
  const edge = new Path2D(projected ?? '');
  const { x, y, radius } = limbCircle(from, overlays.viewport);
  if (projected === null) edge.arc(x, y, radius, 0, 2 * Math.PI);
  strokeCased(context, edge, overlays, 'limb');
  if (view.overlays.grid) strokeCased(context, new Path2D(gridPath(from, screen)), overlays, 'grid-lines');
}

function drawEvents(context: Context, overlays: Overlays, list: readonly SolarEvent[], screen: Screen): void {
  const { font } = overlays;
  const outline = (pin: string, isSelected: boolean) =>
    ['outline', { 'data-pin': pin, 'data-selected': String(isSelected) }] as const;
  for (const event of outlinedEvents(list)) {
    const path = new Path2D(outlinePath(event, screen));
    strokeCased(context, path, overlays, ...outline(event.pin, selectedEvent.value === event.id));
  }
  context.textBaseline = 'middle';
  for (const { at, events, title, hasLabel } of placedPins(screen, pinned(list))) {
    const isSelected = events.some(({ id }) => id === selectedEvent.value);
    const disc = new Path2D();
    disc.arc(at.x, at.y, PIN_RADIUS, 0, 2 * Math.PI);
    context.fillStyle = overlays.styleOf(...outline(events[0].pin, false)).stroke;
    context.fill(disc);
    strokeLine(context, disc, { stroke: isSelected ? '#fff' : '#000', width: isSelected ? 3 : 1 });
    context.textAlign = 'center';
    context.font = `700 ${SIZES.pin}px ${font}`;
    context.fillStyle = '#10131a';
    context.fillText(events[0].pin, at.x, at.y);
    if (!hasLabel && !isSelected) continue;
    context.textAlign = 'left';
    context.font = `${SIZES.pin}px ${font}`;
    const x = at.x + LABEL.offset;
    context.fillStyle = '#000a';
    context.fillRect(x, at.y - LABEL.height / 2, context.measureText(title).width + 2 * LABEL.padding, LABEL.height);
    context.fillStyle = '#fff';
    context.fillText(title, x + LABEL.padding, at.y);
  }
}

function drawCaption(context: Context, { viewport, font, parts }: Overlays, state: Shown): void {
  const mostWidth = viewport.size.width - 2 * EDGE;
  const plain = `${SIZES.caption}px ${font}`;
  let y: number = EDGE * 0.75;
  const line = (words: readonly (readonly [text: string, font: string, colour: string])[], height: number) => {
    const widths = words.map(([text, of]) => {
      context.font = of;
      return context.measureText(`${text} `).width;
    });
    const shrink = Math.min(mostWidth / widths.reduce((sum, width) => sum + width, 0), 1);
    let x: number = EDGE;
    words.forEach(([text, of, colour], i) => {
      context.font = of;
      context.fillStyle = colour;
      write(context, text, [x, y], widths[i]! * shrink);
      x += widths[i]! * shrink;
    });
    y += height * 1.5;
  };
  context.textAlign = 'left';
  context.textBaseline = 'top';
  for (const { image, name, compared, apart } of parts.caption ? captioned(state) : []) {
    const more: [string, string][] = [
      [imageTime(image), '#fff'],
      [compared?.text ?? '', compared?.isFar ? AMBER : '#fff'],
      [apart, '#fff'],
    ];
    const words = more.filter(([text]) => text).map(([text, colour]) => [text, plain, colour] as const);
    line([[name, `700 ${plain}`, '#fff'], ...words], SIZES.caption);
  }
  for (const credit of parts.credits) line([[credit, `${SIZES.small}px ${font}`, INK]], SIZES.small);
}

function drawScale(context: Context, { viewport: { camera, size }, font }: Overlays, { view }: Shown): void {
  const { width, text } = scaleBar(camera.scale);
  const base = size.height - EDGE;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.font = `${SIZES.small}px ${font}`;
  context.fillStyle = INK;
  write(context, text, [EDGE, base], size.width / 2);
  const y = base - SIZES.small - 8;
  strokeLine(context, new Path2D(`M${EDGE + 0.75} ${y}v6h${width - 1.5}v-6`), { stroke: INK, width: 1.5 });
  if (!view.overlays.scale) return;
  const radius = Math.max(EARTH_DIAMETER_ARCSEC / camera.scale / 2, 1);
  const centre = y - 6 - Math.max(radius, SIZES.small / 2);
  const earth = new Path2D();
  earth.arc(EDGE + radius, centre, radius, 0, 2 * Math.PI);
  context.fillStyle = '#4d8fd6';
  context.fill(earth);
  strokeLine(context, earth, { stroke: '#cfe4ff', width: 1 });
  context.textBaseline = 'middle';
  context.fillStyle = INK;
  write(context, texts.measure.earth, [EDGE + 2 * radius + 6, centre], size.width / 2);
}

function drawMark(context: Context, { viewport: { size }, font, icon, isSynthetic }: Overlays): void {
  const [right, base] = [size.width - EDGE, size.height - EDGE];
  context.textAlign = 'right';
  context.textBaseline = 'alphabetic';
  context.font = `700 ${SIZES.small}px ${font}`;
  context.fillStyle = '#fff';
  write(context, SERVICE_NAME, [right, base], size.width / 3);
  const side = SIZES.small + 4;
  const { width } = context.measureText(SERVICE_NAME);
  context.drawImage(icon, right - width - side - 4, base - side + 3, side, side);
  if (!isSynthetic) return;
  context.font = `${SIZES.small}px ${font}`;
  context.fillStyle = '#ffe2b3';
  write(context, texts.synthetic, [right, base - SIZES.small - 8], size.width / 2);
}

/** Draws over a picture, in pixels of the page, as the observer of its lowest image saw it. */
export function drawOverlays(context: Context, overlays: Overlays, state: Shown, events: readonly SolarEvent[]): void {
  const [{ projection }, image] = [state.view, state.images.find((one) => one !== null)];
  const from = image && observerOfImage(image);
  const screen = { ...overlays.viewport, projection, mapping: from ? mappingOf(projection, from) : null };
  if (from) drawSky(context, overlays, state, from, screen);
  drawEvents(context, overlays, events, screen);
  drawCaption(context, overlays, state);
  if (overlays.parts.scale) drawScale(context, overlays, state);
  drawMark(context, overlays);
}
