// Drawings over the picture: limb, grid, ruler, scales and locator, with the pins and outlines of events.
import { computed } from '@preact/signals';
import type { View } from '../../picture/address/view.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import { limbRadius } from '../../sun/coordinates/picture-plane.ts';
import { EARTH_DIAMETER_ARCSEC } from '../model/readout.ts';
import { Lazy } from '../page/loading.tsx';
import { camera, comparison, hasCrosshair, observer, panel, pictureSize, projection, ruler, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { gridPath, isCutOut, limbPath, scaleBar } from './drawings.ts';
import { onScreen, seenBox, type Viewport } from './geometry.ts';
import { Line, Outlines, Pins } from './pins.tsx';
import { RegionOverlay } from './region.tsx';
import { pixelOfPoint, presentScreen, type Screen } from './screen.ts';

export const Grid = (screen: Screen) => screen.mapping && <Line name="grid-lines" d={gridPath(screen)} />;

/** The edge of the disk, where it helps: with a grid, and around images that show a part of the Sun. */
export function Limb({ from = observer.value, ...screen }: Screen & { readonly from?: Observer | null }) {
  const { camera, size, mapping } = screen;
  if (!from || !mapping) return null;
  if (mapping.disc === null) return <Line name="limb" d={limbPath(from, screen)} />;
  const { x, y } = onScreen(camera, size, { x: 0, y: 0 });
  return ['casing', 'limb'].map((name) => <circle key={name} class={name} cx={x} cy={y} r={mapping.disc! / camera.scale} />);
}

function Ruler(screen: Screen) {
  if (!ruler.value) return null;
  const [from, to] = [ruler.value.from, ruler.value.to].map((point) => pixelOfPoint(point, screen));
  if (!from || !to) return null;
  return (
    <g class="ruler">
      <path class="casing" d={`M${from.x} ${from.y}L${to.x} ${to.y}`} />
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      <circle cx={from.x} cy={from.y} r="4" />
      <circle cx={to.x} cy={to.y} r="4" />
    </g>
  );
}

function Crosshair({ size }: Viewport) {
  const [x, y] = [size.width / 2, size.height / 2];
  return <Line name="crosshair" d={`M${x - 14} ${y}h10m8 0h10M${x} ${y - 14}v10m0 8v10`} />;
}

/** A bar of a round number of arcseconds, with its length on the Sun, and the Earth beside it. */
function ScaleBar({ camera }: Pick<Viewport, 'camera'>) {
  const { width, text } = scaleBar(camera.scale);
  const earth = EARTH_DIAMETER_ARCSEC / camera.scale;
  return (
    <div class="scale-bar">
      {hasEarth.value && (
        <span class="earth">
          <svg width={Math.max(earth, 2) + 2} height={Math.max(earth, 2) + 2} aria-hidden="true">
            <circle cx={Math.max(earth, 2) / 2 + 1} cy={Math.max(earth, 2) / 2 + 1} r={Math.max(earth, 2) / 2} />
          </svg>
          {texts.measure.earth}
        </span>
      )}
      <svg width={width} height="7" aria-hidden="true">
        <path d={`M.75 0v6h${width - 1.5}v-6`} />
      </svg>
      <span>{text}</span>
    </div>
  );
}

const isReady = computed(() => shown.value !== null);
const isPartial = computed(() => isCutOut(shown.value?.images ?? []));
const option = (name: keyof View['overlays']) => computed(() => shown.value?.view.overlays[name] ?? false);
const [hasGrid, hasBodies, hasEarth, hasMap] = [option('grid'), option('bodies'), option('scale'), option('map')];

const LOCATOR_SIDE = 84;
/** Solar radii from the centre to the edge of the map. */
const LOCATOR_REACH = 1.35;
const SMALLEST_BOX = 4;

/** A small Sun with the visible part marked; none while the whole disc is visible. */
function Locator() {
  const [view, size, from] = [camera.value, pictureSize.value, observer.value];
  if (!view || !from || projection.value.kind !== 'plane') return null;
  const limb = limbRadius(from);
  const seen = seenBox(view, size);
  if (Math.max(seen.left, seen.top) < -limb && Math.min(seen.right, seen.bottom) > limb) return null;
  const pixels = (arcsec: number) =>
    Math.min(Math.max((arcsec / (limb * LOCATOR_REACH) + 1) * (LOCATOR_SIDE / 2), 1), LOCATOR_SIDE - 1);
  const [left, top, right, bottom] = [pixels(seen.left), pixels(seen.top), pixels(seen.right), pixels(seen.bottom)];
  return (
    <svg class="locator" viewBox={`0 0 ${LOCATOR_SIDE} ${LOCATOR_SIDE}`} role="img" aria-label={texts.locator}>
      <circle cx={LOCATOR_SIDE / 2} cy={LOCATOR_SIDE / 2} r={LOCATOR_SIDE / 2 / LOCATOR_REACH} />
      <rect x={left} y={top} width={Math.max(right - left, SMALLEST_BOX)} height={Math.max(bottom - top, SMALLEST_BOX)} />
    </svg>
  );
}

export function Decorations() {
  const screen = presentScreen();
  if (!screen || !isReady.value) return null;
  const { size } = screen;
  const isPlane = screen.projection.kind === 'plane';
  return (
    <>
      <svg class="overlay" aria-hidden="true" viewBox={`0 0 ${size.width} ${size.height}`}>
        {hasGrid.value && <Grid {...screen} />}
        {(hasGrid.value || isPartial.value) && <Limb {...screen} />}
        <Outlines {...screen} />
        <Ruler {...screen} />
        {hasCrosshair.value && <Crosshair {...screen} />}
      </svg>
      {hasMap.value && <Lazy name="ground" isSilent load={async () => (await import('../panels/layers.tsx')).Ground} />}
      {hasBodies.value && <Lazy name="bodies" isSilent load={async () => (await import('./bodies.tsx')).Bodies} />}
      <Pins {...screen} />
      {comparison.value && <Lazy name="swipe" isSilent load={async () => (await import('../panels/layers.tsx')).Swipe} />}
      {isPlane && <RegionOverlay />}
      {panel.value === 'measure' && (
        <Lazy name="outline" isSilent load={async () => (await import('../panels/measure.tsx')).Outline} />
      )}
      <div class="corner">
        <Locator />
        <ScaleBar camera={screen.camera} />
      </div>
    </>
  );
}
