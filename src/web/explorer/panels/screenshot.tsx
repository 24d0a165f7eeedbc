// A screenshot of the chosen area as PNG or WebP.
import { useSignal } from '@preact/signals';
import { screenshotPath } from '../api/pictures.ts';
import { requestResponse, sentenceOf } from '../api/request.ts';
import { Choice, setter } from '../page/controls.tsx';
import { Failure } from '../page/loading.tsx';
import { isSynthetic, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { chosenArea } from './area.tsx';

type Format = 'png' | 'webp';

const TIMEOUT_MS = 60_000;
const words = texts.make;

/** The picture as WebP, converted by the browser; as PNG by browsers that cannot write WebP. */
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

const extensionOf = ({ type }: Blob): Format => (type === 'image/webp' ? 'webp' : 'png');

function fileName(extension: Format): string {
  const { view, images } = shown.value!;
  const names = images.flatMap((image) => image?.name.replaceAll(' ', '_') ?? []).join('_');
  return `${new Date(view.atMs).toISOString().slice(0, 19).replaceAll(':', '_')}_${names}${isSynthetic.value ? '_synthetic' : ''}.${extension}`;
}

export function Screenshot() {
  const format = useSignal<Format>('png');
  const state = useSignal<
    | { readonly kind: 'idle' | 'busy' }
    | { readonly kind: 'done'; readonly format: Format }
    | { readonly kind: 'failed'; readonly sentence: string }
  >({
    kind: 'idle',
  });
  const take = async () => {
    const area = chosenArea();
    if (!area || !shown.value) return;
    state.value = { kind: 'busy' };
    try {
      const png = await (await requestResponse(screenshotPath(shown.value, area), { timeoutMs: TIMEOUT_MS })).blob();
      const picture = format.value === 'png' ? png : await asWebp(png);
      const saved = extensionOf(picture);
      save(picture, fileName(saved));
      state.value = { kind: 'done', format: saved };
    } catch (error) {
      state.value = { kind: 'failed', sentence: sentenceOf(error) };
    }
  };
  return (
    <section aria-labelledby="screenshot">
      <h3 id="screenshot">{words.screenshot}</h3>
      <Choice
        id="screenshot-format"
        label={words.format}
        value={format.value}
        options={[
          ['png', 'PNG'],
          ['webp', 'WebP'],
        ]}
        pick={setter(format)}
      />
      <button type="button" class="primary" id="take" disabled={state.value.kind === 'busy'} onClick={take}>
        {state.value.kind === 'busy' ? words.taking : words.take}
      </button>
      <p role="status" class="quiet">
        {state.value.kind === 'done' && (state.value.format === format.value ? words.saved : words.savedAsPng)}
      </p>
      {state.value.kind === 'failed' && (
        <Failure sentences={[words.noScreenshot, state.value.sentence]} retry={() => void take()} />
      )}
    </section>
  );
}
