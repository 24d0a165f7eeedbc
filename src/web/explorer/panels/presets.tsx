// Presets: layers with a picture and two sentences, and the highlights of the day.
import '../core.ts';
import { pathOf } from '../../../../clients/typescript/core.ts';
import { drawnLayers } from '../../../picture/address/print-address.ts';
import { type Layer, plainLayer } from '../../../picture/layers.ts';
import { enhancementsOf, isEnhanced, operationsIn } from '../../../picture/operations/operations.ts';
import { PLANE, type Projection, printProjection } from '../../../picture/projection.ts';
import type { Source } from '../api/catalogue.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { closestImage, picturePath } from '../api/images.ts';
import { Distance } from '../page/caption.tsx';
import { Card } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { change } from '../store/open.ts';
import { shown, sources } from '../store/state.ts';
import { presetTexts } from '../texts/more.ts';
import { texts } from '../texts.ts';
import { hasImages, useCatalogue } from './catalogue.ts';
import { Highlights } from './highlights.tsx';
import { SavedViews } from './saved-views.tsx';

const layer = (sourceId: number, parameters: object, more: Partial<Layer> = {}): Layer => ({
  ...plainLayer(sourceId),
  ...operationsIn(parameters),
  ...more,
});

/** The light of helium around the Sun: EUVI-B, FSI, EUVI-A and AIA. */
const HELIUM = [27, 85, 23, 13].map(plainLayer);

/** Layers of each preset from the bottom to the top; the last one tells whether there are images, and gives the picture of a plain card. */
const PRESETS = {
  corona: [plainLayer(10)],
  tricolour: [
    layer(12, { tint: 'red' }),
    layer(11, { tint: 'green' }, { blend: 'add' }),
    layer(10, { tint: 'blue' }, { blend: 'add' }),
  ],
  loops: [layer(10, { filter: 'rhef' })],
  hot: [plainLayer(9)],
  chromosphere: [plainLayer(13)],
  steady: [layer(13, { steady: 'true' })],
  magnetic: [plainLayer(19)],
  sunspots: [plainLayer(18)],
  eruptions: [13, 4, 5].map(plainLayer),
  ejections: [layer(4, { filter: 'rhef', difference: 1, diffCount: 30, diffTime: 1 })],
  farSide: HELIUM,
  map: HELIUM,
} satisfies Record<string, readonly Layer[]>;

type PresetName = keyof typeof PRESETS;

/** Projections of presets of the whole Sun, and arcseconds per pixel of their cards. */
const AROUND: Readonly<Partial<Record<PresetName, readonly [Projection, scale: number]>>> = {
  farSide: [{ kind: 'sphere', longitude: 180, latitude: 0 }, 13],
  map: [{ kind: 'carrington' }, 38],
};

const NEED_ENHANCEMENT: readonly PresetName[] = ['loops', 'steady', 'ejections'];
/** Those whose operations the service has. */
const OFFERED = (Object.keys(PRESETS) as PresetName[]).filter(
  (name) => !NEED_ENHANCEMENT.includes(name) || PRESETS[name].some(isEnhanced),
);

const CARD_PIXELS = 160;
/** Arcseconds per pixel of a card with the whole Sun. */
const CARD_SCALE = 16;

/** The layers whose images a preset needs: all of those that add their light, else the highest one. */
const neededOf = (layers: readonly Layer[]) => (layers.some(({ blend }) => blend) ? layers : layers.slice(-1));

/** The layers of a preset at a time: of one of the whole Sun, those that then have images. */
const layersAt = (name: PresetName, atMs: number): readonly Layer[] =>
  AROUND[name] ? PRESETS[name].filter(({ sourceId }) => hasImages(sourceId, atMs)) : PRESETS[name];

function pictureOf(name: PresetName, layers: readonly Layer[], image: ImageRecord): string {
  const [projection, imageScale] = AROUND[name] ?? [PLANE, CARD_SCALE];
  if (!AROUND[name] && neededOf(layers).length === 1) return picturePath(image.id, CARD_PIXELS, enhancementsOf(layers.at(-1)!));
  const place = {
    imageScale,
    projection: printProjection(projection) ?? undefined,
    x0: 0,
    y0: 0,
    width: CARD_PIXELS,
    height: CARD_PIXELS,
    watermark: false,
    display: true,
  };
  return pathOf('takeScreenshot', { date: image.takenAt, ...drawnLayers(layers), ...place });
}

/** The image that each preset is shown by; null where the archive has none. @throws as `closestImage` */
async function imagesAt(atMs: number, known: readonly Source[], signal: AbortSignal) {
  const found = OFFERED.map(async (name) => {
    const needed = neededOf(layersAt(name, atMs));
    const isThere = needed.every((one) => known.some(({ sourceId }) => sourceId === one.sourceId));
    const last = isThere ? needed.at(-1) : undefined;
    return [name, last ? await closestImage(last.sourceId, atMs, signal) : null] as const;
  });
  return new Map(await Promise.all(found));
}

interface PresetProps {
  readonly name: PresetName;
  /** Undefined while it is searched for and after a failure. */
  readonly image: ImageRecord | null | undefined;
}

function Preset({ name, image }: PresetProps) {
  const { title, text } = presetTexts[name];
  const { atMs = 0, projection, layers: present = [], overlays } = shown.value?.view ?? {};
  const layers = layersAt(name, atMs);
  const around = AROUND[name]?.[0] ?? PLANE;
  const show = () =>
    change({ layers, projection: around, centre: null, imageScale: null, overlays: { ...overlays!, map: name in AROUND } });
  const textOf = (ofLayers: readonly Layer[]) => JSON.stringify(drawnLayers(ofLayers));
  return (
    <li>
      <Card
        picture={image ? pictureOf(name, layers, image) : null}
        label={title}
        text={text}
        aria-pressed={textOf(layers) === textOf(present) && around.kind === projection?.kind}
        disabled={image === null}
        act={() => void show()}
      >
        {image && Math.abs(image.distanceSeconds) > 3600 && <Distance image={image} />}
        {image === null && <span class="distance far">{presetTexts.missing}</span>}
      </Card>
    </li>
  );
}

export function Presets() {
  const atMs = shown.value?.view.atMs;
  const catalogue = useCatalogue();
  const known = sources.value;
  const key = atMs === undefined || !known ? '' : String(atMs);
  const { last, failure, retry } = useLoaded(key, (signal) => imagesAt(atMs!, known!, signal));
  return (
    <>
      {atMs !== undefined && <Highlights atMs={atMs} />}
      {catalogue.failure && <Failure sentences={[texts.failures.catalogue, catalogue.failure]} retry={catalogue.retry} />}
      {failure && <Failure sentences={[texts.failures.presets, failure]} retry={retry} />}
      <ul class="cards">
        {OFFERED.map((name) => (
          <Preset key={name} name={name} image={last?.value.get(name)} />
        ))}
      </ul>
      <SavedViews />
    </>
  );
}
