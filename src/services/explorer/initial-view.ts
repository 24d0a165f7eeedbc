// First picture of the explorer: the view of its address with the images of its layers, so that the page need not search for them.
import { viewOfClientState } from '../../domain/explorer/client-state.ts';
import { type ReadView, readAddress } from '../../domain/explorer/read-address.ts';
import { NEWEST_SUN, type Note, type View, type ViewLayer } from '../../domain/explorer/view.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { isSynthetic } from '../../domain/synthetic.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Clock, Stopwatch } from '../../ports/timing.ts';
import { nearer } from '../images/find-image.ts';
import { jp2Header } from '../images/jp2-header.ts';
import type { ClientStates } from '../sharing/client-states.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly clientStates?: ClientStates;
}

export interface InitialLayer {
  /** Null for a hidden layer, and for a source without images. */
  readonly image: ArchivedImage | null;
  /** Image time minus the time of the view. */
  readonly distanceSeconds: number;
}

export interface InitialView {
  /** With the time of the newest image where the address has none. */
  readonly view: View;
  readonly isNewest: boolean;
  readonly layers: readonly InitialLayer[];
  readonly notes: readonly Note[];
  /** Whether the header of a shown image says that its picture is synthetic. */
  readonly isSynthetic: boolean;
}

async function sharedView({ clientStates }: Ports, key: string): Promise<ReadView> {
  const text = await clientStates?.find(key);
  if (!text) return { view: NEWEST_SUN, notes: [{ kind: 'unknown-view', given: key.slice(0, 12) }] };
  return { view: viewOfClientState(JSON.parse(text) as object), notes: [] };
}

/** Time of the newest image of the lowest visible layer, else of any layer; null for an empty archive. */
async function newestTime({ index, clock }: Ports, layers: readonly ViewLayer[]): Promise<number | null> {
  const lowest = layers.find(({ isVisible }) => isVisible) ?? layers[0]!;
  const { last } = await index.ends(lowest.sourceId, 0, clock());
  return last?.takenAtMs ?? null;
}

async function imageOf({ index }: Ports, { sourceId, isVisible }: ViewLayer, atMs: number): Promise<InitialLayer> {
  if (!isVisible) return { image: null, distanceSeconds: 0 };
  const { before, after } = await index.neighbours(sourceId, atMs);
  const image = nearer(before, after, atMs);
  return { image, distanceSeconds: image ? Math.round(image.takenAtMs - atMs) / 1000 : 0 };
}

/** Whether the first image is synthetic; false for one whose header cannot be read, because the page asks again. */
async function statesSynthetic(ports: Ports, layers: readonly InitialLayer[]): Promise<boolean> {
  const image = layers.find((layer) => layer.image)?.image;
  if (!image) return false;
  try {
    return isSynthetic((await jp2Header(ports, image)).fits);
  } catch {
    return false;
  }
}

export async function initialView(ports: Ports, query: URLSearchParams): Promise<InitialView> {
  const key = query.get('loadState');
  const { view, notes } = key === null ? readAddress(query) : await sharedView(ports, key);
  const atMs = view.atMs ?? (await ports.stopwatch.measure('index', () => newestTime(ports, view.layers)));
  if (atMs === null) return { view, isNewest: true, layers: [], notes, isSynthetic: false };
  const layers = await ports.stopwatch.measure('index', () =>
    Promise.all(view.layers.map((layer) => imageOf(ports, layer, atMs))),
  );
  return {
    view: { ...view, atMs },
    isNewest: view.atMs === null,
    layers,
    notes,
    isSynthetic: await statesSynthetic(ports, layers),
  };
}
