// Presets: layers with a picture and two sentences, and the highlights of the day.
import '../core.ts';
import { pathOf } from '../../../../clients/typescript/core.ts';
import { drawnLayers } from '../../../picture/address/print-address.ts';
import { type Layer, plainLayer } from '../../../picture/layers.ts';
import { enhancementsOf, operationsIn } from '../../../picture/operations/operations.ts';
import { PLANE, type Projection, printProjection } from '../../../picture/projection.ts';
import type { Source } from '../api/catalogue.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { closestImage, picturePath } from '../api/images.ts';
import { Distance } from '../page/caption.tsx';
import { Card } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { change } from '../store/open.ts';
import type { Shown } from '../store/shown.ts';
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

const NAMES = Object.keys(PRESETS) as PresetName[];

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

/** The image that each preset is shown by; null where the archive has none, undefined after a failure. @throws as `closestImage` where all fail */
async function imagesAt(atMs: number, known: readonly Source[], signal: AbortSignal) {
  let failure: unknown;
  const fail = (error: unknown): undefined => {
    failure = error;
  };
  const found = NAMES.map(async (name) => {
    const needed = neededOf(layersAt(name, atMs));
    const last = needed.at(-1);
    const isThere = needed.every((one) => known.some(({ sourceId }) => sourceId === one.sourceId));
    const search = isThere && last ? closestImage(last.sourceId, atMs, signal) : null;
    return [name, search && (await search.catch(fail))] as const;
  });
  const images = await Promise.all(found);
  if (failure && !images.some(([, image]) => image)) throw failure;
  return new Map(images);
}

interface PresetProps {
  readonly view: Shown['view'];
  readonly name: PresetName;
  /** Undefined while it is searched for and after a failure. */
  readonly image: ImageRecord | null | undefined;
}

function Preset({ view, name, image }: PresetProps) {
  const { title, text } = presetTexts[name];
  const layers = layersAt(name, view.atMs);
  const around = AROUND[name]?.[0] ?? PLANE;
  const overlays = { ...view.overlays, ...(name in AROUND && { map: true }) };
  const show = () => change({ layers, projection: around, centre: null, imageScale: null, overlays });
  const textOf = (ofLayers: readonly Layer[]) => JSON.stringify(drawnLayers(ofLayers));
  return (
    <li>
      <Card
        picture={image ? pictureOf(name, layers, image) : null}
        label={title}
        text={text}
        aria-pressed={textOf(layers) === textOf(view.layers) && around.kind === view.projection.kind}
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
  const view = shown.value?.view;
  const catalogue = useCatalogue();
  const known = sources.value;
  const key = view && known ? JSON.stringify([view.atMs, known]) : '';
  const { last, failure, retry } = useLoaded(key, (signal) => imagesAt(view!.atMs, known!, signal));
  return (
    <>
      {view && <Highlights atMs={view.atMs} />}
      {catalogue.failure && <Failure sentences={[texts.failures.catalogue, catalogue.failure]} retry={catalogue.retry} />}
      {failure && <Failure sentences={[texts.failures.presets, failure]} retry={retry} />}
      <ul class="cards">
        {view && NAMES.map((name) => <Preset key={name} view={view} name={name} image={last?.value.get(name)} />)}
      </ul>
      <SavedViews />
    </>
  );
}
