// The state of the page and of the tools on the picture. `screen` and `shown` change only when their picture is on the screen.
import { computed, signal } from '@preact/signals';
import type { Note } from '../../picture/address/view.ts';
import type { FrameDescription } from '../../picture/moving-frame.ts';
import { type Operations, operationsOf, withoutEnhancements } from '../../picture/operations/operations.ts';
import { PLANE, type Projection } from '../../picture/projection.ts';
import type { Mapping } from '../../picture/projections/mapping.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { trailing } from '../../platform/util/trailing.ts';
import { isSourceGroup } from '../../sun/catalogue/datasource.ts';
import type { Above, Observer } from '../../sun/coordinates/observer.ts';
import type { Source } from '../api/catalogue.ts';
import type { ImageRecord, Neighbours } from '../api/images.ts';
import { observerOf } from '../model/readout.ts';
import type { Box, Camera, Point, Size } from '../picture/geometry.ts';
import type { Frame, PictureState } from '../picture/picture.ts';
import { mappingOf } from '../picture/projecting.ts';
import type { Shown } from './shown.ts';

export { rebased, type Shown } from './shown.ts';

/** Pixels from the upper left corner of the picture; null while it is elsewhere. */
export const pointer = signal<Point | null>(null);
export const isMeasuring = signal(false);
/** Ends of the ruler, in arcseconds from the Sun's centre as seen from 1 au, y down. */
export const ruler = signal<{ readonly from: Point; readonly to: Point } | null>(null);
/** Whether the read-out follows a cross-hair in the middle of the picture, for touch screens and keyboards. */
export const hasCrosshair = signal(false);

/**
 * What the left side of the picture shows while two things are compared, and where the sides meet, in parts of the width. `held`: the picture
 * of another time with its caption; null: the layers below the top one.
 */
export const comparison = signal<{
  readonly held: { readonly frame: Frame; readonly caption: string } | null;
  readonly share: number;
} | null>(null);

export const hasChannels = signal(false);
export const hasCredit = signal(true);

export type Part = 'view' | 'square' | 'region';

export const part = signal<Part>('view');
/** Arcseconds from the Sun's centre as seen from 1 au, y down: the region stays on the Sun when the view moves. */
export const region = signal<Box | null>(null);
export const isDrawing = signal(false);

export const PANELS = ['presets', 'layers', 'events', 'measure', 'make', 'data'] as const;
export type PanelName = (typeof PANELS)[number];
export type DialogName = 'seeing' | 'share' | 'help' | 'calendar' | 'glossary' | 'picture';

/** The content of the screen, with every frame that moves. */
export const screen = signal<Shown | null>(null);
/** Content of the screen for parts of the page that take time to render: it follows a few times a second while frames move. */
export const shown = signal<Shown | null>(null);
export const camera = signal<Camera | null>(null);
/** As the picture shows it; the view has it after a moment of rest. */
export const projection = signal<Projection>(PLANE);
export const pictureSize = signal<Size>({ width: 1, height: 1 });
export const pictureState = signal<PictureState>({ isComplete: false, failures: 0 });
/** The load under way, as a sentence; null when nothing is loading. */
export const busy = signal<string | null>(null);
export const askedMs = signal<number | null>(null);
export const trouble = signal<{ readonly sentence: string; readonly retry?: () => void } | null>(null);
export const notes = signal<readonly Note[]>([]);
type Adjacent = Neighbours & { readonly imageId: number | null };
/** Times of the images before and after the one with this id, which is null before they are known, and after a failure. */
export const adjacent = signal<Adjacent>({ imageId: null, previousMs: null, nextMs: null });
export const isSynthetic = signal(false);
/** Age in hours from which the newest image is late, and the present time, set each half minute. */
export const lateHours = signal(4);
export const clockMs = signal(Date.now());
export const givenNames = signal<ReadonlyMap<number, string>>(new Map());
export const sources = signal<readonly Source[] | null>(null);
export const panel = signal<PanelName | null>(null);
export const dialog = signal<DialogName | null>(null);
export const tourStep = signal<number | null>(null);
type Seen = Above & Pick<FrameDescription, 'isRollUnverified' | 'edges'>;

/** Observers of drawn images by the ids of these: place, whether the roll is not verified, and edges where the image is turned to the north. */
export const observers = signal<ReadonlyMap<number, Seen>>(new Map());
const MOST_OBSERVERS = 500;

/** Notes the observers of images that have been drawn. */
export function noteObservers(drawn: readonly (readonly [id: number, description: FrameDescription])[]): void {
  const known = observers.peek();
  if (drawn.every(([id]) => known.has(id))) return;
  const seen = drawn.map(([id, { edges, observer: at, isRollUnverified }]): [number, Seen] => {
    const place = { b0Degrees: at.latitude, longitudeDegrees: at.longitude };
    return [id, { ...place, isRollUnverified, ...(edges && { edges }) }];
  });
  observers.value = new Map([...[...known].slice(-MOST_OBSERVERS), ...seen]);
}

/** The map below the layers of a projection of the surface: Carrington longitude by latitude, 180 degrees in the middle. */
export const ground = signal<{ readonly path: string; readonly picture: ImageBitmap } | null>(null);

export const isBefore = signal(false);
export const drawnOperations = (layer: Operations): Operations => (isBefore.value ? withoutEnhancements : operationsOf)(layer);
/** Whether the time runs by play, or follows a pointer or keys. */
export const motion = signal<'none' | 'play' | 'scrub'>('none');
export const isPlaying = computed(() => motion.value === 'play');
export const isMoving = computed(() => motion.value !== 'none');

/** Milliseconds by which `shown` follows the frames that move. */
const FOLLOWS_MS = 200;
const following = trailing(FOLLOWS_MS, () => {
  shown.value = screen.peek();
});
export const follow = following.now;

/** The time that was asked for last, also while its picture loads. */
export const timeAsked = computed(() => askedMs.value ?? shown.value?.view.atMs);

/** Rest of the shown time before panels load what belongs to it, in ms; null during play, whose last image rests as well. */
export const restMs = (): number | null => (isPlaying.value ? null : isMoving.value ? 3 * FOLLOWS_MS : 0);

/** Notes what has come to the screen: a picture that stays, or a frame of those that move. */
export function noteShown(next: Shown | null, kind: 'still' | 'moving' = 'still'): void {
  screen.value = next;
  if (kind === 'still') follow();
  else following.soon();
}

/** The lowest shown image, which captions and steps refer to. */
export const baseImage = computed<ImageRecord | null>(() => shown.value?.images.find((image) => image !== null) ?? null);

/** The FITS header of the lowest shown image, once it has loaded. */
export const header = signal<{ readonly id: number; readonly fits: readonly (readonly [string, string])[] } | null>(null);

export const observerOfImage = (image: ImageRecord): Observer =>
  observerOf(image, header.value?.id === image.id ? header.value.fits : null, observers.value.get(image.id));

export const observer = computed(() => baseImage.value && observerOfImage(baseImage.value));

/** Where the projection shows what that observer sees. */
export const mapping = computed<Mapping | null>(() => observer.value && mappingOf(projection.value, observer.value));

export const baseSourceId = computed(() => {
  const { view, images } = shown.value ?? {};
  return view?.layers[Math.max(images?.findIndex((image) => image !== null) ?? 0, 0)]?.sourceId ?? null;
});

/** Whether a source has images within a day of a time, as far as its first and last one tell. */
export const hasImages = (id: number, atMs: number): boolean =>
  sources.value?.some(({ sourceId, startMs, endMs }) => id === sourceId && atMs >= startMs - DAY_MS && atMs <= endMs + DAY_MS) ??
  false;

/** The source of an image in a layer: of a group its member, which is null before the list of sources has loaded. */
export function sourceOf(sourceId: number, { name }: ImageRecord): number | null {
  if (!isSourceGroup({ id: sourceId })) return sourceId;
  return sources.value?.find((source) => source.name === name)?.sourceId ?? null;
}

export function sourceName(sourceId: number): string {
  const index = shown.value?.view.layers.findIndex((layer) => layer.sourceId === sourceId) ?? -1;
  const known = sources.value?.find((source) => source.sourceId === sourceId)?.name;
  return known ?? shown.value?.images[index]?.name ?? givenNames.value.get(sourceId) ?? `source ${sourceId}`;
}
