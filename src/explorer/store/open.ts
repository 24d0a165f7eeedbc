// Shows views: images, tiles, then caption and address, all together after success.
import type { Note, View } from '../../picture/address/view.ts';
import type { Layer } from '../../picture/layers.ts';
import { PLANE, printProjection } from '../../picture/projection.ts';
import { delay } from '../../platform/util/retry.ts';
import { isSynthetic as statesSynthetic } from '../../sun/image.ts';
import { observerPlaces } from '../api/catalogue.ts';
import { headerOf, type Neighbours, neighbours } from '../api/images.ts';
import { offline, PageError, sentenceOf } from '../api/request.ts';
import { isSlowLine } from '../line.ts';
import { contentOf } from '../picture/content.ts';
import type { Camera } from '../picture/geometry.ts';
import type { Cover, Frame, Picture, Sheet } from '../picture/picture.ts';
import { loadProjection } from '../picture/projecting.ts';
import { fill, imageTime, texts } from '../texts.ts';
import { turns } from '../turns.ts';
import { type HistoryMode, recordAddress, returned, returnToShown } from './address.ts';
import { findCadences } from './cadence.ts';
import { findReferences, imagesOf, referenceOf } from './images-of-view.ts';
import {
  adjacent,
  askedMs,
  baseImage,
  baseSourceId,
  busy,
  drawnOperations,
  follow,
  header,
  isMoving,
  isSynthetic,
  motion,
  noteShown,
  notes,
  rebased,
  type Shown,
  screen,
  shown,
  trouble,
} from './state.ts';

let picture: Picture | null = null;
const nextLoad = turns();
/** Begins the search for a view. It ends, as the search before and steps that wait, when another time is asked for. */
export const seek = turns();
/** Whether that load follows the browser to another entry of its history. */
let isFollowing = false;
/** Changes that still load, and the state in which the first of them was asked for: a further change does not undo them. */
let asked: { readonly part: Partial<View>; readonly since: Shown } | null = null;
let lastKey = 0;
export const nextKey = (): number => ++lastKey;

export const currentPicture = (): Picture | null => picture;

export function usePicture(made: Picture): void {
  picture = made;
}

/** Layers with their keys: those of the present view keep theirs. */
function keysOf(layers: readonly Layer[]): number[] {
  const free = (shown.value?.view.layers ?? []).map(({ sourceId }, i) => ({ sourceId, key: shown.value!.keys[i]! }));
  return layers.map(({ sourceId }) => {
    const at = free.findIndex((one) => one.sourceId === sourceId);
    return at < 0 ? nextKey() : free.splice(at, 1)[0]!.key;
  });
}

export function frameOf({ view, images, keys }: Shown): Frame {
  return view.layers.flatMap((layer, i) => {
    const image = images[i];
    if (!image || !layer.isVisible) return [];
    const { sourceId, opacity } = layer;
    const reference = referenceOf(layer, image);
    return [{ ...drawnOperations(layer), key: keys[i]!, sourceId, askedMs: view.atMs, image, reference, opacity }];
  });
}

function cameraOf({ centre, imageScale }: View): Camera | null {
  return imageScale === null ? null : { ...(centre ?? { x: 0, y: 0 }), scale: imageScale };
}

/** The present view in the plane: of another projection the whole of its images; null before the first picture. */
export function planeCamera(): Camera | null {
  if (!picture?.camera || !shown.value) return null;
  return picture.projection.kind === 'plane' ? picture.camera : picture.wholeOf(frameOf(shown.value), PLANE);
}

export function present(): Shown | null {
  const state = screen.value;
  const camera = picture?.isFitted ? null : picture?.camera;
  const centre = camera ? { x: camera.x, y: camera.y } : null;
  const place = { projection: picture?.projection ?? PLANE, centre, imageScale: camera?.scale ?? null };
  return state && { ...state, view: { ...state.view, ...place } };
}

/** The present state with the layers and the time that still load, whose images are not known. */
export function wished(): Shown | null {
  const state = present();
  if (!state || !asked) return state;
  const { layers, atMs } = { ...state.view, ...asked.part };
  const isNewest = state.isNewest && !('atMs' in asked.part);
  return { ...state, isNewest, keys: keysOf(layers), view: { ...state.view, layers, atMs: atMs ?? Date.now() } };
}

/** Notes a state of the screen, and its address. */
export function settle(state = present()): void {
  noteShown(state);
  recordAddress('replace');
}

function ended(): void {
  busy.value = null;
  askedMs.value = null;
  isFollowing = false;
  asked = null;
}

/** Ends what loads or plays, and returns the signal of what follows. */
export function begin(follows = false): AbortSignal {
  const signal = nextLoad();
  motion.value = 'none';
  follow();
  ended();
  isFollowing = follows;
  if (!follows) returnToShown();
  picture?.uncover();
  return signal;
}

export function stay(): void {
  if (isFollowing) begin();
  settle();
}

export function pause(): void {
  const signal = begin();
  settle();
  void afterwards(signal);
}

/** A state with the place of the observer that its projection names, null where there is no ephemeris at the time. Loads what draws it. */
export async function placed(state: Shown, signal: AbortSignal): Promise<Shown> {
  const { projection, atMs } = state.view;
  const places = projection.kind === 'observer' ? observerPlaces(atMs, signal) : null;
  const [found] = await Promise.all([places, loadProjection(projection).catch(offline)]);
  if (projection.kind !== 'observer') return state;
  const from = found!.get(projection.body) ?? null;
  return { ...state, view: { ...state.view, projection: { ...projection, from } } };
}

const isPlaced = ({ view: { projection } }: Shown) => projection.kind !== 'observer' || projection.from !== null;

async function viewed(view: View, signal: AbortSignal): Promise<Shown> {
  const { atMs, images } = await imagesOf(view, signal);
  return placed({ view: { ...view, atMs }, isNewest: view.atMs === null, images, keys: keysOf(view.layers) }, signal);
}

/** Whether tiles can be drawn, as far as it is known. */
let drawsTiles = 'WebGL2RenderingContext' in globalThis;

/** Draws the picture anew, by a new canvas or without one. */
function onLost(): void {
  const state = present();
  if (state) void open(state.view, { history: 'none' });
}

/** What draws pictures: grey tiles on a canvas, or pictures of the service in a browser without WebGL 2. */
async function presentSheet(): Promise<{ readonly sheet: Sheet; readonly isPlaneOnly: boolean }> {
  const onChange = () => picture!.redraw();
  if (drawsTiles) {
    const { tileSheet } = await import('../picture/tile-sheet.ts').catch(offline);
    const sheet = tileSheet({ onChange, onLost });
    if (sheet) return { sheet, isPlaneOnly: false };
    drawsTiles = false;
  }
  const { pictureSheet } = await import('../picture/picture-sheet.ts').catch(offline);
  return { sheet: pictureSheet(onChange), isPlaneOnly: true };
}

/**
 * Loads the picture of a view whose images are known. `note`: why it is shown in the plane; null where it is shown as it was asked for.
 * @throws PageError when nothing of it has loaded
 */
export async function ready(asked: Shown, signal: AbortSignal, since: Shown | null = null) {
  // The tiles of a view in the plane need not wait for what draws them.
  if (asked.view.projection.kind === 'plane' && drawsTiles) {
    const wanted = frameOf(asked);
    const view = picture!.screenOf(wanted, cameraOf(asked.view), asked.view.projection);
    for (const layer of wanted) contentOf(layer).request(view);
  }
  const { sheet, isPlaneOnly } = await presentSheet();
  signal.throwIfAborted();
  const { projection } = asked.view;
  const unplaced: Note | null = isPlaced(asked) ? null : { kind: 'no-observer', given: printProjection(projection)! };
  const note = isPlaneOnly && projection.kind !== 'plane' ? ({ kind: 'no-projection' } as const) : unplaced;
  const inPlane = { projection: PLANE, centre: null, imageScale: null };
  const next = note ? { ...asked, view: { ...asked.view, ...inPlane } } : asked;
  const frame = frameOf(next);
  const isLoaded = await sheet.load(frame, picture!.screenOf(frame, cameraOf(next.view), next.view.projection), signal);
  signal.throwIfAborted();
  if (!isLoaded) throw new PageError(texts.failures.picture);
  return { next, since, sheet, note };
}

export type Ready = Awaited<ReturnType<typeof ready>>;

/** Merges a loaded view with changes made while it loaded, and shows it by a cover. */
export function commitPlayed({ next, since }: Pick<Ready, 'next' | 'since'>, cover: Cover, mode: HistoryMode = 'none'): void {
  const state = rebased(next, since, present());
  const camera = cameraOf(state.view);
  const placed = camera ? state : { ...state, view: { ...state.view, centre: null, imageScale: null } };
  noteShown(placed, isMoving.value ? 'moving' : 'still');
  picture!.projection = placed.view.projection;
  picture!.play(frameOf(state), cover, camera);
  recordAddress(mode);
}

const loadCoarse = () => import('../motion/player.ts');

export function commit({ sheet, note, ...loaded }: Ready, mode: HistoryMode): void {
  if (note) notes.value = [...notes.value, note];
  picture!.use(sheet);
  commitPlayed(loaded, sheet, mode);
}

/** A cover with coarse frames that has not been drawn yet. */
export interface CoarseCover {
  readonly cover: Cover;
  /** Frees its frames when something else is drawn. Called once it has been. */
  readonly release: () => void;
}

/** Time for which tiles are waited for before a coarse picture is loaded as well, in ms. */
const TILES_PATIENCE_MS = 250;

/**
 * A coarse picture of a view, at once on a slow line, else when its tiles take long. Null where there is none, and where the tiles have come.
 * @param tiles Null where they are not requested yet
 */
function coarseFirst(next: Shown, tiles: Promise<Ready> | null, signal: AbortSignal): Promise<CoarseCover | null> {
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  const load = async () => {
    if (tiles) await delay(TILES_PATIENCE_MS, ended);
    return (await loadCoarse()).coarseCover(frameOf(next), ended);
  };
  const none = () => null;
  return Promise.race([load().catch(none), ...(tiles ? [tiles.then(none, none)] : [])]).finally(() => end.abort());
}

/**
 * Shows a view. What is on the screen stays until the new picture is there, and stays after a failure.
 * @param since the state in which the view was asked for
 */
export async function open(view: View, { history }: { readonly history: HistoryMode }, since = present()): Promise<boolean> {
  settle();
  const follows = history === 'follow';
  if (follows) seek();
  const signal = begin(follows);
  busy.value = texts.loading;
  askedMs.value = view.atMs;
  trouble.value = null;
  try {
    const sinceMs = performance.now();
    loadCoarse().catch(() => undefined);
    const next = await viewed(view, signal);
    // Its tiles would take the bandwidth of the coarse picture. A line may have become slow since the browser measured it.
    const isSlow = isSlowLine(performance.now() - sinceMs);
    const tiles = isSlow ? null : ready(next, signal, since);
    const coarse = isPlaced(next) ? await coarseFirst(next, tiles, signal) : null;
    if (!follows) await returned();
    signal.throwIfAborted();
    notes.value = [];
    if (coarse) commitPlayed({ next, since }, coarse.cover, history);
    coarse?.release();
    commit(await (tiles ?? ready(next, signal, since)), coarse ? 'replace' : history);
    ended();
    void afterwards(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const changes = asked;
    ended();
    const followAgain = follows ? returnToShown() : null;
    report(error, followAgain ?? (() => void (changes ? change(changes.part) : open(view, { history }, since))));
    return false;
  }
}

export function report(error: unknown, retry?: () => void): void {
  const sentence = sentenceOf(error);
  const kept =
    shown.value && baseImage.value ? fill(texts.stillShown, { ...baseImage.value, time: imageTime(baseImage.value) }) : '';
  trouble.value = { sentence: `${sentence} ${kept}`.trim(), ...(retry ? { retry } : {}) };
}

/** @param isFound Whether the search that was begun last has found it, which does not end */
export function change(part: Partial<View>, isFound = false): Promise<boolean> {
  const state = present();
  if (!state) return Promise.resolve(false);
  if ('atMs' in part && !isFound) seek();
  const changes = { part: { ...asked?.part, ...part }, since: asked?.since ?? state };
  const opened = open({ ...state.view, ...changes.part }, { history: 'push' }, changes.since);
  asked = changes;
  return opened;
}

/** The layers that were asked for last, while their picture loads. */
export const layersLoading = (): readonly Layer[] | undefined => asked?.part.layers;

/** Whether a shown image is synthetic: of the lowest one the header is known, of the others it is read. */
async function findSynthetic(lowest: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  const others = (shown.value?.images ?? []).filter((image) => image && image.id !== baseImage.value?.id);
  const isLowest = statesSynthetic(lowest);
  // A failed request leaves the mark as it is.
  const headers = isLowest ? [] : await Promise.all(others.map((image) => headerOf(image!.id).catch(() => null)));
  if (signal.aborted) return;
  const isAny = isLowest || headers.some((fits) => fits && statesSynthetic(new Map(fits)));
  if (isAny || !headers.includes(null)) isSynthetic.value = isAny;
}

/** Preloads the coarse frames of the previous and next step, and the code that draws them. */
async function preloadSteps({ nextMs, previousMs }: Neighbours, signal: AbortSignal): Promise<void> {
  const { preloadCoarse } = await loadCoarse();
  for (const atMs of [nextMs, previousMs]) {
    const state = present();
    if (atMs === null || !state) continue;
    signal.throwIfAborted();
    await preloadCoarse(frameOf(await viewed({ ...state.view, atMs }, signal)), signal);
  }
}

/** Looks up what the page needs after a picture: the neighbours of its image, and whether it is synthetic. */
export async function afterwards(signal: AbortSignal): Promise<void> {
  const [image, sourceId] = [baseImage.value, baseSourceId.value];
  if (!image || sourceId === null || isMoving.value) return;
  const find = async () => ({ imageId: image.id, ...(await neighbours(sourceId, image.takenAt, signal)) });
  const around = await find().catch(() => null);
  if (signal.aborted) return;
  // After a failure, a step may find them.
  adjacent.value = around ?? { imageId: null, previousMs: 0, nextMs: 0 };
  void findCadences(signal);
  const { view, images } = shown.value!;
  const compared = view.layers.map((layer, i) => findReferences(layer, [images[i] ?? null], signal));
  void Promise.all(compared).catch(() => undefined);
  if (around && isSlowLine()) void preloadSteps(around, signal).catch(() => undefined);
  const fits = await headerOf(image.id).catch(() => null);
  if (signal.aborted || !fits) return;
  header.value = { id: image.id, fits };
  await findSynthetic(new Map(fits), signal);
}
