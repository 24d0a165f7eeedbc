// The area of screenshots and movies: the view, a square in its middle, or a region drawn on the picture.
import { useEffect } from 'preact/hooks';
import { Button, Choice, named, setTo } from '../page/controls.tsx';
import type { Camera, Size, Viewport } from '../picture/geometry.ts';
import { middleOf, regionSizeText } from '../picture/region.tsx';
import { currentPicture } from '../store/open.ts';
import { camera, isDrawing, type Part, part, projection, region } from '../store/state.ts';
import { makeTexts as words } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';

const PARTS: readonly Part[] = ['view', 'square', 'region'];

function shownArea(view: Camera, size: Size): Viewport {
  if (projection.value.kind !== 'plane') return { camera: view, size };
  const side = Math.min(size.width, size.height);
  if (part.value === 'square') return { camera: view, size: { width: side, height: side } };
  if (part.value === 'view' || !region.value) return { camera: view, size };
  const { left, top, right, bottom } = region.value;
  return {
    camera: { x: (left + right) / 2, y: (top + bottom) / 2, scale: view.scale },
    size: { width: (right - left) / view.scale, height: (bottom - top) / view.scale },
  };
}

/** The chosen area of a view, with more pixels for screens that have them; null before the first picture. */
export function chosenArea(): Viewport | null {
  const [view, picture] = [camera.value, currentPicture()];
  if (!picture || !view) return null;
  const { camera: at, size } = shownArea(view, picture.size);
  const pixels = Math.min(Math.max(devicePixelRatio, 1), 2);
  return {
    camera: { ...at, scale: at.scale / pixels },
    size: { width: Math.max(size.width * pixels, 1), height: Math.max(size.height * pixels, 1) },
  };
}

function pick(next: Part): void {
  part.value = next;
  const picture = currentPicture();
  if (next !== 'region' || !picture?.camera) return;
  region.value ??= middleOf(picture.camera, picture.size);
  isDrawing.value = true;
}

function RegionState() {
  if (part.value !== 'region' || !region.value || !camera.value) return null;
  const { width, height } = chosenArea()?.size ?? { width: 0, height: 0 };
  return (
    <>
      <p id="region-size" role="status">
        {regionSizeText(region.value)}{' '}
        <span class="quiet">{fill(texts.make.pixels, { width: Math.round(width), height: Math.round(height) })}</span>
      </p>
      <p class="quiet">{isDrawing.value ? words.drawing : texts.make.adjust}</p>
      {!isDrawing.value && <Button label={words.draw} act={setTo(isDrawing, true)} />}
    </>
  );
}

export function PartChoice({ id }: { readonly id: string }) {
  return <Choice id={id} label={words.area} value={part.value} options={named(PARTS, words.parts)} pick={pick} />;
}

export function AreaChoice() {
  // A drag on the picture moves it again when the panel is closed.
  useEffect(() => setTo(isDrawing, false), []);
  if (projection.value.kind !== 'plane') return null;
  return (
    <>
      <PartChoice id="area" />
      <RegionState />
    </>
  );
}
