// Drawings over the picture: limb, grid, ruler, scales, locator, and the pins of events.
import { limbRadius } from '../../../domain/coordinates/picture-plane.ts';
import { gridLines } from '../../../domain/coordinates/solar-grid.ts';
import { EARTH_DIAMETER_ARCSEC, MM_PER_ARCSEC } from '../../../domain/explorer/readout.ts';
import type { ViewPoint } from '../../../domain/explorer/view.ts';
import { fixed } from '../shell/numbers.ts';
import { hasCrosshair, ruler } from '../store/measure.ts';
import { observer } from '../store/observer.ts';
import { camera, pictureSize, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { type Camera, onScreen, type Size } from './geometry.ts';
import { Locator } from './locator.tsx';
import { Pins } from './pins.tsx';
import { RegionOverlay } from './region.tsx';

interface Place {
  readonly camera: Camera;
  readonly size: Size;
}

const decimal = (value: number) => value.toFixed(1);

function pathOf(points: readonly ViewPoint[], { camera, size }: Place): string {
  return points
    .map((point, i) => {
      const { x, y } = onScreen(camera, size, point);
      return `${i === 0 ? 'M' : 'L'}${decimal(x)} ${decimal(y)}`;
    })
    .join('');
}

function Grid(place: Place) {
  const from = observer.value;
  if (!from) return null;
  return (
    <path
      class="grid-lines"
      d={gridLines(from)
        .map((line) => pathOf(line, place))
        .join('')}
    />
  );
}

/** The edge of the disk, where it helps: with a grid, and around images that show a part of the Sun. */
function Limb({ camera, size }: Place) {
  const from = observer.value;
  if (!from) return null;
  const { x, y } = onScreen(camera, size, { x: 0, y: 0 });
  return <circle class="limb" cx={decimal(x)} cy={decimal(y)} r={decimal(limbRadius(from) / camera.scale)} />;
}

function Ruler(place: Place) {
  if (!ruler.value) return null;
  const [from, to] = [ruler.value.from, ruler.value.to].map((point) => onScreen(place.camera, place.size, point));
  return (
    <g class="ruler">
      <line x1={from!.x} y1={from!.y} x2={to!.x} y2={to!.y} />
      <circle cx={from!.x} cy={from!.y} r="4" />
      <circle cx={to!.x} cy={to!.y} r="4" />
    </g>
  );
}

function Crosshair({ size }: Place) {
  const [x, y] = [size.width / 2, size.height / 2];
  return <path class="crosshair" d={`M${x - 14} ${y}h10m8 0h10M${x} ${y - 14}v10m0 8v10`} />;
}

/** Lengths of scale bars, arcseconds. */
const BARS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const BAR_PIXELS = 110;

/** A bar of a round number of arcseconds, with its length on the Sun, and the Earth beside it. */
function ScaleBar({ camera }: Pick<Place, 'camera'>) {
  const arcsec = BARS.findLast((length) => length / camera.scale <= BAR_PIXELS) ?? BARS[0]!;
  const width = arcsec / camera.scale;
  const megametres = arcsec * MM_PER_ARCSEC;
  const earth = EARTH_DIAMETER_ARCSEC / camera.scale;
  return (
    <div class="scale-bar">
      {shown.value?.view.hasEarth && (
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
      <span>
        {arcsec}″ · {megametres < 10 ? fixed(megametres, 1) : fixed(megametres, 0)} Mm
      </span>
    </div>
  );
}

/** Whether the lowest image shows only a part of the disk. */
function isCutOut(): boolean {
  const image = shown.value?.images.find((one) => one !== null);
  return image ? Math.min(image.width, image.height) * image.scale < 1900 : false;
}

export function Furniture() {
  const [view, size] = [camera.value, pictureSize.value];
  if (!view || !shown.value) return null;
  const place = { camera: view, size };
  const { hasGrid } = shown.value.view;
  return (
    <>
      <svg class="overlay" aria-hidden="true" viewBox={`0 0 ${size.width} ${size.height}`}>
        {(hasGrid || isCutOut()) && <Limb {...place} />}
        {hasGrid && <Grid {...place} />}
        <Ruler {...place} />
        {hasCrosshair.value && <Crosshair {...place} />}
      </svg>
      <Pins />
      <RegionOverlay />
      <div class="corner">
        <Locator />
        <ScaleBar camera={view} />
      </div>
    </>
  );
}
