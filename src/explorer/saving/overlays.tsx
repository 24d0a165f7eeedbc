// What is drawn over saved pictures and those of saved movies: an SVG with the lines of the page, pins, captions and scale; the credits of the
// missions, and the mark of the service.
import { render, type SVGAttributes } from 'preact';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { loadCatalogue } from '../api/catalogue.ts';
import type { SolarEvent } from '../api/events.ts';
import { requestResponse } from '../api/request.ts';
import { EARTH_DIAMETER_ARCSEC } from '../model/readout.ts';
import { captioned } from '../page/caption.tsx';
import { Grid, Limb } from '../picture/decorations.tsx';
import { isCutOut, scaleBar } from '../picture/drawings.ts';
import type { Size, Viewport } from '../picture/geometry.ts';
import { Outlines, PIN_RADIUS, placedPins } from '../picture/pins.tsx';
import { mappingOf } from '../picture/projecting.ts';
import { pinned } from '../store/events.ts';
import { isSynthetic, observerOfImage, type Shown, sources } from '../store/state.ts';
import { imageTime, texts } from '../texts.ts';

/** The lines of the missions of the visible layers. @throws as `loadCatalogue` */
export async function creditsOf({ view: { layers }, images }: Shown): Promise<readonly string[]> {
  sources.value ??= await loadCatalogue();
  const ids = layers.flatMap(({ sourceId, isVisible }, i) => (isVisible && images[i] ? [sourceId] : []));
  return [...new Set(sources.value.flatMap(({ sourceId, credit }) => (ids.includes(sourceId) ? [credit] : [])))];
}

/** Distance of texts from the edges, as on the page, and pixels of texts. */
const [EDGE, SMALL, LINE] = [12, 12, 20];
const INK = '#dfe3ec';

/** A text with a dark edge, at most so wide. */
const Text = ({ most = Number.POSITIVE_INFINITY, ...others }: SVGAttributes<SVGTextElement> & { readonly most?: number }) => (
  <text
    ref={(text) => {
      if (text && text.getComputedTextLength() > most) text.setAttribute('textLength', String(most));
    }}
    lengthAdjust="spacingAndGlyphs"
    {...others}
  />
);

function Pin({ at: { x, y }, events, title, isChosen, hasLabel }: ReturnType<typeof placedPins>[number]) {
  return (
    <g font-size="10.9" dominant-baseline="central" stroke={isChosen ? '#fff' : '#000'} stroke-width={isChosen ? 3 : 1}>
      <circle class="pin-disc" data-pin={events[0].pin} cx={x} cy={y} r={PIN_RADIUS} paint-order="normal" />
      <text x={x} y={y} text-anchor="middle" font-weight="700" fill="#10131a" stroke="none">
        {events[0].pin}
      </text>
      {hasLabel && (
        <text x={x + 18} y={y} fill="#fff" stroke="#000a" stroke-width="6">
          {title}
        </text>
      )}
    </g>
  );
}

function Scale({ camera, size, hasEarth }: Viewport & { readonly hasEarth: boolean }) {
  const { width, text } = scaleBar(camera.scale);
  const [base, y] = [size.height - EDGE, size.height - EDGE - SMALL - 8];
  const radius = Math.max(EARTH_DIAMETER_ARCSEC / camera.scale / 2, 1);
  const centre = y - 6 - Math.max(radius, SMALL / 2);
  return (
    <>
      <Text x={EDGE} y={base} most={size.width / 2}>
        {text}
      </Text>
      <path d={`M${EDGE + 0.75} ${y}v6h${width - 1.5}v-6`} fill="none" stroke={INK} stroke-width="1.5" />
      {hasEarth && (
        <circle cx={EDGE + radius} cy={centre} r={radius} fill="#4d8fd6" stroke="#cfe4ff" stroke-width="1" paint-order="normal" />
      )}
      {hasEarth && (
        <Text x={EDGE + 2 * radius + 6} y={centre + SMALL / 3} most={size.width / 2}>
          {texts.measure.earth}
        </Text>
      )}
    </>
  );
}

const captions = (state: Shown) =>
  captioned(state).map(({ key, image, name, compared, apart }) => (
    <tspan key={key} font-size="13.6" fill="#fff">
      <tspan font-weight="700">{name}</tspan> {imageTime(image)}{' '}
      <tspan fill={compared?.isFar ? '#ffcb6b' : '#fff'}>{compared?.text}</tspan> {apart}
    </tspan>
  ));

interface Overlays {
  readonly pixels: Size;
  /** In pixels of the page, to which the text belongs. */
  readonly viewport: Viewport;
  readonly parts: { readonly caption: boolean; readonly scale: boolean; readonly credits: readonly string[] };
}

/** Styles of the page, which a file outside it does not have. */
const STYLES = ['fill', 'stroke', 'stroke-width'] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that events may have and XML may not (XML 1.0, 2.2)
const NOT_OF_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
let icon: string | null = null;

/** The picture in a file, whose memory the browser frees with it. @throws DOMException for a file without one */
export async function pictureIn(file: Blob): Promise<HTMLImageElement> {
  const picture = Object.assign(new Image(), { src: URL.createObjectURL(file) });
  try {
    await picture.decode();
  } finally {
    URL.revokeObjectURL(picture.src);
  }
  return picture;
}

/** A picture of the overlays of a state and its events, as the observer of its lowest image saw them. @throws as `requestResponse` */
export async function overlayPicture({ pixels, viewport, parts }: Overlays, state: Shown, events: readonly SolarEvent[]) {
  icon ??= await (await requestResponse('/explorer/icon.svg')).text();
  const [{ projection, overlays }, image] = [state.view, state.images.find((one) => one !== null)];
  const from = image ? observerOfImage(image) : null;
  const screen = { ...viewport, projection, mapping: from && mappingOf(projection, from) };
  const { width, height } = viewport.size;
  const [right, base, side] = [width - EDGE, height - EDGE, SMALL + 4];
  const words = [...(parts.caption ? captions(state) : []), ...parts.credits];
  const holder = document.createElement('div');
  document.body.append(holder);
  render(
    <svg {...pixels} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {overlays.grid && <Grid {...screen} />}
      {(overlays.grid || isCutOut(state.images)) && <Limb from={from} {...screen} />}
      <Outlines list={events} {...screen} />
      <g
        {...{ fill: INK, 'font-family': getComputedStyle(document.body).fontFamily, 'font-size': SMALL }}
        {...{ stroke: '#000c', 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' }}
      >
        {placedPins(screen, pinned(events)).map((pin) => (
          <Pin key={pin.events[0].id} {...pin} />
        ))}
        {words.map((line, i) => (
          <Text key={i} x={EDGE} y={EDGE + LINE * (i + 0.5)} most={right - EDGE}>
            {line}
          </Text>
        ))}
        {parts.scale && <Scale {...viewport} hasEarth={overlays.scale} />}
        <Text x={right - side - 4} y={base} text-anchor="end" font-weight="700" fill="#fff">
          {SERVICE_NAME}
        </Text>
        <svg
          {...{ x: right - side, y: base - side + 3, width: side, height: side, stroke: 'none' }}
          aria-hidden="true"
          dangerouslySetInnerHTML={{ __html: icon }}
        />
        {isSynthetic.value && (
          <Text x={right} y={base - SMALL - 8} most={width / 2} text-anchor="end" fill="#ffe2b3">
            {texts.synthetic}
          </Text>
        )}
      </g>
    </svg>,
    holder,
  );
  for (const styled of holder.querySelectorAll('[class]'))
    for (const name of STYLES) styled.setAttribute(name, getComputedStyle(styled).getPropertyValue(name));
  const text = new XMLSerializer().serializeToString(holder.firstElementChild!).replace(NOT_OF_XML, ' ');
  render(null, holder);
  holder.remove();
  return pictureIn(new Blob([text], { type: 'image/svg+xml' }));
}
