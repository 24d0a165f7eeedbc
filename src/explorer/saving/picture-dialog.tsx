// The dialog of a picture to take home: a preview of the file, with its area, pixels and format, and what is drawn over it.
import { signal, useSignal } from '@preact/signals';
import { correction, generate } from 'lean-qr/nano';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { pngNote } from '../../picture/encode/notes.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { picturePath } from '../api/pictures.ts';
import { PageError, requestResponse, sentenceOf } from '../api/request.ts';
import { captioned } from '../page/caption.tsx';
import { Button, Check, Choice, named, SignalChoice, Status, setTo, setter } from '../page/fields.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { chosenArea, PartChoice } from '../panels/area.tsx';
import { devicePixels, enlarged, type Viewport } from '../picture/geometry.ts';
import { permanentAddress } from '../store/address.ts';
import { eventsOfPicture } from '../store/events.ts';
import { drawnLayer } from '../store/layers.ts';
import { pause } from '../store/open.ts';
import { comparison, ground, hasCredit, isMoving, isSynthetic, part, pictureState, type Shown, shown } from '../store/state.ts';
import { dialogTexts, makeTexts, measureTexts, projectionTexts, saving } from '../texts/more.ts';
import { distanceText, fill, imageTime, texts } from '../texts.ts';
import { fileName, provenanceOf, save } from './files.ts';
import { creditsOf, overlayPicture, pictureIn } from './overlays.tsx';

/** Prints a picture, and removes its sheet when that is done. */
function printSheet(picture: HTMLCanvasElement, state: Shown, credits: readonly string[]): void {
  const address = permanentAddress();
  const code = generate(address, { minCorrectionLevel: correction.M });
  const places = Array.from({ length: code.size ** 2 }, (_, i) => [i % code.size, Math.floor(i / code.size)] as const);
  // Four light modules around it, without which readers may not find it.
  const side = code.size + 8;
  const words = document.createElement('footer');
  const layers = captioned(state).map(({ image, name, compared, apart }) =>
    [`${name} ${imageTime(image)}`, distanceText(image.distanceSeconds), compared?.text, apart].filter(Boolean).join(' · '),
  );
  render(
    <>
      <div>
        {[...layers, ...(isSynthetic.value ? [texts.synthetic] : []), ...credits].map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p>
          {dialogTexts.shareLink}: <a href={address}>{address}</a>
        </p>
      </div>
      <svg viewBox={`-4 -4 ${side} ${side}`} role="img" aria-label={dialogTexts.shareLink} shape-rendering="crispEdges">
        <path d={places.map(([x, y]) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : '')).join('')} />
      </svg>
    </>,
    words,
  );
  const sheet = Object.assign(document.createElement('section'), { className: 'sheet' });
  sheet.append(picture, words);
  document.querySelector('.sheet')?.remove();
  document.body.append(sheet);
  addEventListener('afterprint', () => sheet.remove(), { once: true });
  print();
}

const words = saving.picture;
type SizeName = keyof typeof words.sizes;
const SIZES = Object.keys(words.sizes) as SizeName[];
const FORMATS = { png: 'PNG', webp: 'WebP' } as const;
type Format = keyof typeof FORMATS;
/** Pixels of a picture over which texts and lines have the size that they have on the screen. */
const USUAL_SIDE = 1280;
const REST_MS = 250;
const TIMEOUT_MS = 60_000;
const WEBP_QUALITY = 0.92;

/** Stays while the dialog is closed. Null: the pixels of the screen, of a region those of its source. */
const size = signal<SizeName | null>(null);
const format = signal<Format>('png');
const overlays = signal({ caption: true, scale: true, events: true, grid: null as boolean | null });

/** An area in the pixels of a size, at most as many as the service draws. */
function areaOf(name: SizeName, { camera, size: { width, height } }: Viewport, { view, images }: Shown): Viewport {
  const longest = camera.scale * Math.max(width, height);
  const scales = images.flatMap((image, i) => (image && view.layers[i]!.isVisible ? [image.scale] : []));
  const own = { screen: camera.scale, source: Math.min(camera.scale, ...scales) };
  const wanted = { ...own, hd: longest / 1920, '4k': longest / 3840 }[name];
  const scale = Math.max(wanted, longest / RECIPE_LIMITS.sidePixels);
  const pixels = (side: number) => Math.max(Math.round((side * camera.scale) / scale), 1);
  return { camera: { ...camera, scale }, size: { width: pixels(width), height: pixels(height) } };
}

/** The canvas of the page, where it has all pixels of an area. */
function screenCanvas({ size: { width, height } }: Viewport): HTMLCanvasElement | null {
  const canvas = document.querySelector<HTMLCanvasElement>('#view > canvas');
  const isWhole =
    canvas?.width === width && canvas.height === height && pictureState.value.isComplete && !isMoving.value && !comparison.value;
  return isWhole ? canvas : null;
}

/** What lies over a picture. @param sizeName Null on paper, which has caption and credits beside the picture */
async function overlayOf(area: Viewport, sizeName: SizeName | null): Promise<HTMLImageElement> {
  const [state, { grid, events, ...chosen }] = [shown.value!, overlays.value];
  const parts = { ...chosen, caption: chosen.caption && sizeName !== null };
  const longest = Math.max(area.size.width, area.size.height);
  const viewport = enlarged(area, sizeName === 'screen' ? devicePixels() : Math.max(longest / USUAL_SIDE, 1));
  const shows = state.view.overlays;
  const view = { ...state.view, overlays: { ...shows, grid: grid ?? shows.grid } };
  const credits = hasCredit.value && sizeName ? await creditsOf(state) : [];
  const pins = events ? await eventsOfPicture(view) : [];
  return overlayPicture({ pixels: area.size, viewport, parts: { ...parts, credits } }, { ...state, view }, pins);
}

function paint(canvas: HTMLCanvasElement, { size: pixels }: Viewport, pictures: readonly CanvasImageSource[]): void {
  Object.assign(canvas, pixels);
  const context = canvas.getContext('2d', { alpha: false })!;
  for (const picture of pictures) context.drawImage(picture, 0, 0);
}

/** @throws PageError for more pixels than the browser can encode */
const encoded = (canvas: HTMLCanvasElement, type: Format): Promise<Blob> =>
  new Promise((resolve, reject) => {
    const take = (blob: Blob | null) => (blob ? resolve(blob) : reject(new PageError(words.failed)));
    canvas.toBlob(take, `image/${type}`, WEBP_QUALITY);
  });

function Options() {
  const { caption, scale, events, grid } = overlays.value;
  const set = (name: keyof typeof overlays.value) => (isOn: boolean) => setter(overlays)({ ...overlays.value, [name]: isOn });
  return (
    <fieldset class="checks">
      <Check label={words.caption} isOn={caption} set={set('caption')} />
      <Check label={words.scale} isOn={scale} set={set('scale')} />
      <Check label={measureTexts.grid} isOn={grid ?? shown.value!.view.overlays.grid} set={set('grid')} />
      <Check label={texts.panels.events} isOn={events} set={set('events')} />
      <Check label={words.credit} isOn={hasCredit.value} set={setter(hasCredit)} />
    </fieldset>
  );
}

const pathOf = ({ view }: Shown, area: Viewport) => picturePath({ ...view, layers: view.layers.map(drawnLayer) }, area);

const load = async (path: string, signal?: AbortSignal) =>
  pictureIn(await (await requestResponse(path, { signal, timeoutMs: TIMEOUT_MS })).blob());

/** Prints the chosen area with its words, the credits and the way to it. @throws as `requestResponse` */
export async function printPicture(): Promise<void> {
  const [state, area] = [shown.value, chosenArea()];
  if (!state || !area) return;
  const paper = areaOf(!size.value || size.value === 'screen' ? 'hd' : size.value, area, state);
  const canvas = document.createElement('canvas');
  paint(canvas, paper, await Promise.all([load(pathOf(state, paper)), overlayOf(paper, null)]));
  printSheet(canvas, state, await creditsOf(state));
}

const canShare = () => navigator.canShare?.({ files: [new File([], 'sun.png', { type: 'image/png' })] }) ?? false;

export function PictureDialog() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const said = useSignal('');
  const [state, area] = [shown.value, chosenArea()];
  const name = size.value ?? (part.value === 'region' ? 'source' : 'screen');
  const onScreen = name === 'screen' && part.value === 'view' ? area : null;
  const own = onScreen && screenCanvas(onScreen);
  const chosen = own ? onScreen : area && state && areaOf(name, area, state);
  const path = chosen && !own ? pathOf(state!, chosen) : '';
  const { value, failure, retry } = useLoaded(path, (signal) => load(path, signal), REST_MS);
  const base = own ?? value;
  const wanted = JSON.stringify([name, chosen, path, state?.view, overlays.value, hasCredit.value]);
  useEffect(() => {
    if (isMoving.value) pause();
  }, []);
  const over = useLoaded(base ? wanted : '', () => overlayOf(chosen!, name));
  const isReady = base !== null && over.value !== null;
  useLayoutEffect(() => {
    if (isReady) paint(canvas.current!, chosen!, [base!, over.value!]);
  }, [base, isReady && wanted]);
  if (!chosen || !area || !state) return null;
  const file = async (type: Format) => {
    const blob = await encoded(canvas.current!, type);
    if (blob.type !== 'image/png') return blob;
    const note = provenanceOf(state, await creditsOf(state));
    return new Blob([pngNote(new Uint8Array(await blob.arrayBuffer()), note)], { type: blob.type });
  };
  const saved = async () => {
    const blob = await file(format.value);
    const names = state.images.flatMap((image) => image?.name ?? []);
    return new File([blob], fileName([state.view.atMs], names, blob.type.replace('image/', '.')), { type: blob.type });
  };
  /** Says why a work has failed. */
  const told = (work: () => Promise<void>) => () => void work().catch((error: unknown) => setter(said)(sentenceOf(error)));
  const take = told(async () => {
    const made = await saved();
    save(made, made.name);
    said.value = made.type.endsWith(format.value) ? words.saved : words.savedAsPng;
  });
  const copy = told(() => {
    const item = new ClipboardItem({ 'image/png': file('png') });
    return navigator.clipboard.write([item]).then(setTo(said, words.copied), setTo(said, words.noCopy));
  });
  const share = told(async () => {
    const files = [await saved()];
    await navigator.share({ files }).catch(() => undefined);
  });
  const sizeText = (one: SizeName) => {
    const { width, height } = areaOf(one, area, state).size;
    return `${words.sizes[one]}: ${fill(texts.make.pixels, { width, height })}`;
  };
  return (
    <div id="picture" aria-busy={!isReady}>
      <div class="picture-preview">
        <canvas ref={canvas} role="img" aria-label={words.preview} data-drawn={isReady} />
      </div>
      <div class="fields">
        <PartChoice id="picture-part" />
        <Choice id="picture-size" label={makeTexts.size} value={name} options={named(SIZES, sizeText)} pick={setter(size)} />
        <SignalChoice
          id="picture-format"
          label={words.format}
          of={format}
          options={named(Object.keys(FORMATS) as Format[], FORMATS)}
        />
      </div>
      <Options />
      <p class="links">
        <Button label={isReady ? words.take : words.drawing} act={take} class="primary" id="take" disabled={!isReady} />
        {'ClipboardItem' in window && <Button label={words.copy} act={copy} id="copy-picture" disabled={!isReady} />}
        <Button label={words.print} act={told(printPicture)} id="print-picture" disabled={!isReady} />
        {canShare() && <Button label={texts.share} act={share} id="share-picture" disabled={!isReady} />}
      </p>
      {ground.value && !own && <p class="quiet">{projectionTexts.noMap}</p>}
      <Status id="picture-said">{over.failure ?? said.value}</Status>
      {failure && <Failure sentences={[words.failed, failure]} retry={retry} />}
    </div>
  );
}
