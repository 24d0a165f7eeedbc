// First picture of the explorer: the view of its address with the images of its layers, so that the page need not search for them.
import { nearer } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import { addressOfClientState, type ReadView, readAddress } from '../../picture/address/read-address.ts';
import { NEWEST_SUN, type Note, type View } from '../../picture/address/view.ts';
import { type Layer, plainLayer } from '../../picture/layers.ts';
import type { Clock, Stopwatch } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import type { ClientStates } from '../../sharing/client-states.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { isSynthetic, SAMPLE_TIME_MS } from '../../sun/synthetic.ts';
import { isoDay } from '../../sun/time.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly clientStates?: ClientStates;
}

interface InitialLayer {
  /** Null for a hidden layer, and for a source without images. */
  readonly image: ArchivedImage | null;
  /** Image time minus the time of the view. */
  readonly distanceSeconds: number;
}

export interface InitialView {
  /** With the time of the newest image where the address has none. */
  readonly view: View;
  readonly isNewest: boolean;
  /** By layer of the view, at least one with an image; empty for an empty archive. */
  readonly layers: readonly InitialLayer[];
  readonly notes: readonly Note[];
  /** Whether the header of a shown image, of any layer, says that its picture is synthetic. */
  readonly isSynthetic: boolean;
}

async function sharedView({ clientStates }: Ports, key: string): Promise<ReadView> {
  const text = await clientStates?.find(key);
  if (!text) return { view: NEWEST_SUN, notes: [{ kind: 'unknown-view', given: key.slice(0, 12) }] };
  return readAddress(addressOfClientState(JSON.parse(text) as object));
}

const namesOf = (layers: readonly Pick<Layer, 'sourceId'>[]): string =>
  [...new Set(layers.map(({ sourceId }) => findSource(sourceId)?.nickname ?? ''))].join(', ');

/** The view with its lowest layer visible when all are hidden. */
function withVisibleLayer({ view, notes }: ReadView): ReadView {
  const [lowest, ...others] = view.layers;
  if (!lowest || view.layers.some(({ isVisible }) => isVisible)) return { view, notes };
  return {
    view: { ...view, layers: [{ ...lowest, isVisible: true }, ...others] },
    notes: [...notes, { kind: 'all-hidden', instead: namesOf([lowest]) }],
  };
}

async function newestTime({ index, clock }: Ports, layers: readonly Layer[]): Promise<number | null> {
  const visible = layers.filter(({ isVisible }) => isVisible);
  const ends = await Promise.all(visible.map(({ sourceId }) => index.ends(sourceId, 0, clock())));
  return ends.find(({ last }) => last)?.last?.takenAtMs ?? null;
}

async function imageOf({ index }: Ports, { sourceId, isVisible }: Layer, atMs: number): Promise<InitialLayer> {
  if (!isVisible) return { image: null, distanceSeconds: 0 };
  const { before, after } = await index.neighbours(sourceId, atMs);
  const image = nearer(before, after, atMs);
  return { image, distanceSeconds: image ? Math.round(image.takenAtMs - atMs) / 1000 : 0 };
}

/** The images of a view at its time; null when no visible layer has any. */
async function imagesOf(ports: Ports, view: View): Promise<Pick<InitialView, 'view' | 'isNewest' | 'layers'> | null> {
  const atMs = view.atMs ?? (await newestTime(ports, view.layers));
  if (atMs === null) return null;
  const layers = await Promise.all(view.layers.map((layer) => imageOf(ports, layer, atMs)));
  return layers.some(({ image }) => image) ? { view: { ...view, atMs }, isNewest: view.atMs === null, layers } : null;
}

/** Substitute for layers without images: AIA 171, else the first source with images; null for an empty archive. */
async function substituteFor({ index }: Ports): Promise<readonly Layer[] | null> {
  const ids = [...(await index.extents()).keys()].sort((a, b) => a - b);
  const [usual] = NEWEST_SUN.layers.filter(({ sourceId }) => ids.includes(sourceId));
  if (usual) return [usual];
  return ids[0] === undefined ? null : [plainLayer(ids[0])];
}

/** Whether an image is synthetic; false for a header that cannot be read, because the page asks again. */
async function statesSynthetic(ports: Ports, layers: readonly InitialLayer[]): Promise<boolean> {
  const images = layers.flatMap(({ image }) => image ?? []);
  const states = async (image: ArchivedImage) => isSynthetic((await jp2Header(ports, image)).fits);
  return (await Promise.all(images.map((image) => states(image).catch(() => false)))).includes(true);
}

type Found = Omit<InitialView, 'isSynthetic'>;

async function shownOf(ports: Ports, { view, notes }: ReadView): Promise<Found> {
  const found = await imagesOf(ports, view);
  if (found) return { ...found, notes };
  const layers = await substituteFor(ports);
  const instead = layers && (await imagesOf(ports, { ...view, layers }));
  if (!instead) return { view, isNewest: view.atMs === null, layers: [], notes };
  const note: Note = {
    kind: 'no-images',
    given: namesOf(view.layers.filter(({ isVisible }) => isVisible)),
    instead: namesOf(layers),
  };
  return { ...instead, notes: [...notes, note] };
}

/** The rich day of the sample archive in place of its newest images, which are few; null where the archive does not have it. */
async function richDay(ports: Ports, { view, isNewest, notes }: Found): Promise<Found | null> {
  if (!isNewest || (view.atMs ?? 0) < SAMPLE_TIME_MS + DAY_MS) return null;
  const found = await imagesOf(ports, { ...view, atMs: SAMPLE_TIME_MS });
  const isThere = found?.layers.some(({ image, distanceSeconds }) => image && Math.abs(distanceSeconds) * 1000 < HOUR_MS);
  return isThere ? { ...found!, notes: [...notes, { kind: 'sample', given: isoDay(SAMPLE_TIME_MS) }] } : null;
}

export async function initialView(ports: Ports, query: URLSearchParams): Promise<InitialView> {
  const key = query.get('loadState');
  const read = withVisibleLayer(key === null ? readAddress(query) : await sharedView(ports, key));
  const initial = await ports.stopwatch.measure('index', () => shownOf(ports, read));
  const states = await statesSynthetic(ports, initial.layers);
  return { ...((states && (await richDay(ports, initial))) || initial), isSynthetic: states };
}
