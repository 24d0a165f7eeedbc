// Presets: the highlights of the day, layers with a picture and two sentences, and views that the user has saved.
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { drawnLayers, printAddress, type View } from '../../picture/address/view.ts';
import { type Layer, plainLayer } from '../../picture/layers.ts';
import { filterNamed } from '../../picture/operations/filter.ts';
import { enhancementsOf, type Operations } from '../../picture/operations/operations.ts';
import { PLANE, type Projection } from '../../picture/projection.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { dayStart, formatDateTime, isoDay } from '../../sun/time.ts';
import type { Source } from '../api/catalogue.ts';
import { eventsAt } from '../api/events.ts';
import { closestImage, type ImageRecord, picturePath } from '../api/images.ts';
import { picturePath as screenPath } from '../api/pictures.ts';
import { HIGHLIGHT_PINS, type Highlight, type HighlightKind, highlightsOf } from '../model/highlights.ts';
import { Distance } from '../page/caption.tsx';
import { Card, IconButton, TextField } from '../page/fields.tsx';
import { Failure, useCatalogue, useLoaded, useStill } from '../page/loading.tsx';
import { showFound } from '../store/actions.ts';
import { selectedEvent } from '../store/events.ts';
import { keptList } from '../store/kept-list.ts';
import { change, present } from '../store/open.ts';
import { hasImages, isBefore, pictureSize, projection, restMs, type Shown, shown, sources } from '../store/state.ts';
import { failureTexts, presetTexts as words } from '../texts/more.ts';
import { fill, texts, utc } from '../texts.ts';
import { eventsOf } from '../time/coverage.ts';

/** Events without a moment of their own, whose chip shows no time. */
const LASTING: readonly HighlightKind[] = ['region', 'filament'];

/** LASCO C2, which has an ejection in its field soon after the start, else C3. */
const CORONAGRAPHS = [4, 5] as const;
/** AIA 304, on the disk that a coronagraph covers. */
const DISK = 13;

/** The layers that show a highlight, with all of their field; those of the present view unless it is an ejection. */
function layersFor({ kind, atMs }: Highlight): Partial<View> {
  const coronagraph = CORONAGRAPHS.find((id) => hasImages(id, atMs));
  if (kind !== 'ejection' || coronagraph === undefined) return {};
  const layers = [...(hasImages(DISK, atMs) ? [DISK] : []), coronagraph].map(plainLayer);
  return { layers, centre: null, imageScale: null };
}

/** Arcseconds across the shorter side of the picture around an event: an active region with its surroundings. */
const AROUND_ARCSEC = 480;

async function placeOf({ kind, id, atMs }: Highlight, signal: AbortSignal): Promise<Partial<View>> {
  if (kind === 'ejection' || projection.value.kind !== 'plane') return {};
  const { categories } = await eventsAt(atMs, signal).catch(() => ({ categories: [] }));
  const event = categories.flatMap(({ events }) => events).find((one) => one.id === id && one.isVisible);
  const { width, height } = pictureSize.value;
  return event ? { centre: { x: event.x, y: -event.y }, imageScale: AROUND_ARCSEC / Math.min(width, height) } : {};
}

function Chip({ highlight }: { readonly highlight: Highlight }) {
  const { kind, id, pins, title, atMs } = highlight;
  const find = async (signal: AbortSignal) => {
    const place = await placeOf(highlight, signal);
    const others = shown.value!.view.events.filter(({ pin }) => !pins.includes(pin));
    const events = [...others, ...pins.map((pin) => ({ pin, methods: null }))];
    return { atMs, events, ...place, ...layersFor(highlight) };
  };
  const show = () => {
    selectedEvent.value = id;
    void showFound(find);
  };
  return (
    <li>
      <button type="button" onClick={show}>
        <strong>{title}</strong>
        {!LASTING.includes(kind) && <span class="quiet"> {formatDateTime(atMs).slice(11, 16)}</span>}
      </button>
    </li>
  );
}

function Highlights({ atMs }: { readonly atMs: number }) {
  const dayMs = dayStart(atMs);
  // A range below a day has single events.
  const range = { startMs: dayMs, endMs: dayMs + DAY_MS - 1000 };
  const loaded = useLoaded(String(dayMs), (signal) => eventsOf(HIGHLIGHT_PINS, range, signal));
  const { value: events, isLoading, failure, retry } = loaded;
  const highlights = highlightsOf(events ?? [], atMs, dayMs, dayMs + DAY_MS);
  const kinds = [...new Set(highlights.map(({ kind }) => kind))];
  return (
    <section class="highlights" aria-labelledby="highlights">
      <h3 id="highlights">{fill(words.highlights, { day: isoDay(dayMs) })}</h3>
      {isLoading && <p class="quiet">{words.loadingEvents}</p>}
      {failure && <Failure sentences={[failure]} retry={retry} />}
      {events && highlights.length === 0 && <p class="quiet">{words.noHighlights}</p>}
      {kinds.map((kind) => (
        <Fragment key={kind}>
          <h4 id={`highlights-${kind}`}>{words.kinds[kind]}</h4>
          <ul class="chips" aria-labelledby={`highlights-${kind}`}>
            {highlights.map((one) => one.kind === kind && <Chip key={one.id} highlight={one} />)}
          </ul>
        </Fragment>
      ))}
    </section>
  );
}

/** Views by the queries of their addresses, without a language. */
const saved = keptList('helioedge.views', 50);
const LONGEST_NAME = 80;

const namesOfLayers = (): string => (shown.value?.images ?? []).flatMap((image) => image?.name ?? []).join(', ');

function SavedViews() {
  const name = useSignal('');
  const save = (event: Event) => {
    event.preventDefault();
    const state = present();
    if (!state) return;
    saved.remember({ id: printAddress(state.view), name: name.value.trim() || namesOfLayers(), atMs: state.view.atMs });
    name.value = '';
  };
  return (
    <section aria-labelledby="saved-views">
      <h3 id="saved-views">{words.saved}</h3>
      <form class="share-line" onSubmit={save}>
        <TextField label={words.savedName} id="view-name" text={name} maxLength={LONGEST_NAME} placeholder={namesOfLayers()} />
        <button type="submit">{words.save}</button>
      </form>
      <ul class="saved-views">
        {saved.items.value.map((view) => (
          <li key={view.id}>
            <a href={`/?${view.id}`}>
              {view.name} <span class="quiet">{utc(view.atMs)}</span>
            </a>
            <IconButton icon="close" label={fill(texts.make.forget, { name: view.name })} act={() => saved.forget(view.id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const layer = (sourceId: number, operations: Operations): Layer => ({ ...plainLayer(sourceId), ...operations });
const rhef = filterNamed('rhef');

/** The light of helium around the Sun: EUVI-B, FSI, EUVI-A and AIA. */
const HELIUM = [27, 85, 23, 13].map(plainLayer);

/** Layers of each preset from the bottom to the top; the last one tells whether there are images, and gives the picture of a plain card. */
const PRESETS = {
  corona: [plainLayer(10)],
  tricolour: [
    layer(12, { tint: 'ff0000' }),
    layer(11, { tint: '00ff00', blend: 'add' }),
    layer(10, { tint: '0000ff', blend: 'add' }),
  ],
  loops: [layer(10, { filter: rhef })],
  hot: [plainLayer(9)],
  chromosphere: [plainLayer(13)],
  steady: [layer(13, { steady: true })],
  magnetic: [plainLayer(19)],
  sunspots: [plainLayer(18)],
  eruptions: [13, 4, 5].map(plainLayer),
  ejections: [layer(4, { filter: rhef, difference: { kind: 'running', count: 30, unit: 'minute' } })],
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
  const area = { camera: { x: 0, y: 0, scale: imageScale }, size: { width: CARD_PIXELS, height: CARD_PIXELS } };
  return screenPath({ atMs: Date.parse(image.takenAt), layers, projection }, area);
}

/** The image that each preset is shown by; null where the archive has none, undefined after a failure. @throws as `closestImage` where all fail */
async function imagesAt(atMs: number, known: readonly Source[], signal: AbortSignal) {
  const searches = NAMES.map(async (name) => {
    const needed = neededOf(layersAt(name, atMs));
    const last = needed.at(-1);
    const isThere = needed.every((one) => known.some(({ sourceId }) => sourceId === one.sourceId));
    return isThere && last ? closestImage(last.sourceId, atMs, signal) : null;
  });
  const found = await Promise.allSettled(searches);
  const images = found.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  const failed = found.find((one) => one.status === 'rejected');
  if (failed && !images.some(Boolean)) throw failed.reason;
  return new Map(NAMES.map((name, i) => [name, images[i]]));
}

interface PresetProps {
  readonly view: Shown['view'];
  readonly name: PresetName;
  /** Undefined while it is searched for and after a failure. */
  readonly image: ImageRecord | null | undefined;
}

function Preset({ view, name, image }: PresetProps) {
  const { title, text } = words[name];
  const layers = layersAt(name, view.atMs);
  const around = AROUND[name]?.[0] ?? PLANE;
  const overlays = { ...view.overlays, ...(name in AROUND && { map: true }) };
  const show = () => {
    isBefore.value = false;
    void change({ layers, projection: around, centre: null, imageScale: null, overlays });
  };
  const textOf = (ofLayers: readonly Layer[]) => JSON.stringify(drawnLayers(ofLayers));
  return (
    <li>
      <Card
        picture={image ? pictureOf(name, layers, image) : null}
        label={title}
        text={text}
        aria-pressed={textOf(layers) === textOf(view.layers) && around.kind === view.projection.kind}
        disabled={image === null}
        act={show}
      >
        {image && Math.abs(image.distanceSeconds) > 3600 && <Distance image={image} />}
        {image === null && <span class="distance far">{words.missing}</span>}
      </Card>
    </li>
  );
}

export function Presets() {
  const view = shown.value?.view;
  const restingMs = useStill(view?.atMs);
  const catalogue = useCatalogue();
  const known = sources.value;
  const key = view && known ? JSON.stringify([view.atMs, known]) : '';
  const { last, failure, retry } = useLoaded(key, (signal) => imagesAt(view!.atMs, known!, signal), restMs());
  return (
    <>
      {restingMs !== undefined && <Highlights atMs={restingMs} />}
      {catalogue.failure && <Failure sentences={[failureTexts.catalogue, catalogue.failure]} retry={catalogue.retry} />}
      {failure && <Failure sentences={[failureTexts.presets, failure]} retry={retry} />}
      <ul class="cards">
        {view && NAMES.map((name) => <Preset key={name} view={view} name={name} image={last?.value.get(name)} />)}
      </ul>
      <SavedViews />
    </>
  );
}
