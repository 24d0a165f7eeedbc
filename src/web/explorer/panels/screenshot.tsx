// A screenshot of the view, or of a square in its middle, as PNG or WebP.
import { useSignal } from '@preact/signals';
import { type PictureArea, screenshotPath } from '../api/pictures.ts';
import { requestResponse } from '../api/request.ts';
import { currentPicture } from '../store/open.ts';
import { isSynthetic, shown } from '../store/state.ts';
import { texts } from '../texts.ts';

type Format = 'png' | 'webp';
type Part = 'view' | 'square';

const TIMEOUT_MS = 60_000;
const words = texts.make;

/** The area of a screenshot, with more pixels for screens that have them. */
export function areaOf(part: Part): PictureArea | null {
  const picture = currentPicture();
  if (!picture?.camera) return null;
  const { camera, size } = picture;
  const side = Math.min(size.width, size.height);
  const shownSize = part === 'square' ? { width: side, height: side } : size;
  const pixels = Math.min(Math.max(devicePixelRatio, 1), 2);
  return {
    camera: { ...camera, scale: camera.scale / pixels },
    size: { width: shownSize.width * pixels, height: shownSize.height * pixels },
  };
}

/** The picture in another format, converted by the browser. */
async function asWebp(png: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(png);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.92 });
}

export function save(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function fileName(extension: string): string {
  const { view, images } = shown.value!;
  const names = images.flatMap((image) => image?.name.replaceAll(' ', '_') ?? []).join('_');
  return `${new Date(view.atMs).toISOString().slice(0, 19).replaceAll(':', '_')}_${names}${isSynthetic.value ? '_synthetic' : ''}.${extension}`;
}

export function Screenshot() {
  const format = useSignal<Format>('png');
  const part = useSignal<Part>('view');
  const state = useSignal<{ readonly kind: 'idle' | 'busy' | 'done' } | { readonly kind: 'failed'; readonly sentence: string }>({
    kind: 'idle',
  });
  const take = async () => {
    const area = areaOf(part.value);
    if (!area || !shown.value) return;
    state.value = { kind: 'busy' };
    try {
      const png = await (await requestResponse(screenshotPath(shown.value.view, area), {}, TIMEOUT_MS)).blob();
      save(format.value === 'png' ? png : await asWebp(png), fileName(format.value));
      state.value = { kind: 'done' };
    } catch (error) {
      state.value = { kind: 'failed', sentence: (error as Error).message };
    }
  };
  return (
    <section aria-labelledby="screenshot">
      <h3 id="screenshot">{words.screenshot}</h3>
      <div class="fields">
        <label class="field">
          {words.part}
          <select
            value={part.value}
            onChange={(event) => {
              part.value = event.currentTarget.value as Part;
            }}
          >
            <option value="view">{words.parts.view}</option>
            <option value="square">{words.parts.square}</option>
          </select>
        </label>
        <label class="field">
          {words.format}
          <select
            id="screenshot-format"
            value={format.value}
            onChange={(event) => {
              format.value = event.currentTarget.value as Format;
            }}
          >
            <option value="png">PNG</option>
            <option value="webp">WebP</option>
          </select>
        </label>
      </div>
      <button type="button" class="primary" id="take" disabled={state.value.kind === 'busy'} onClick={take}>
        {state.value.kind === 'busy' ? words.drawing : words.take}
      </button>
      <p role="status" class="quiet">
        {state.value.kind === 'done' ? words.saved : ''}
      </p>
      {state.value.kind === 'failed' && <p role="alert">{state.value.sentence}</p>}
    </section>
  );
}
