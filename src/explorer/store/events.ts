// Events at the time that is shown: loaded when the panel is open or types of events are shown.
import { computed, effect, signal } from '@preact/signals';
import { delay } from '../../platform/util/retry.ts';
import { nameKey } from '../../sun/events/event-types.ts';
import { type EventsAt, eventsAt, type SolarEvent, utcMs } from '../api/events.ts';
import { sentenceOf } from '../api/request.ts';
import { pinsOf } from '../model/event-pins.ts';
import { turns } from '../turns.ts';
import { isMoving, panel, type Shown, shown } from './state.ts';

/** Null before they have loaded, and after a failure. */
export const events = signal<EventsAt | null>(null);
export const eventsFailure = signal<string | null>(null);
export const selectedEvent = signal<string | null>(null);

function eventsIn({ categories }: EventsAt, { events: types, atMs }: Shown['view']): readonly SolarEvent[] {
  const layers = new Map(types.map(({ pin, methods }) => [pin, methods]));
  return categories
    .filter(({ pin }) => layers.has(pin))
    .flatMap(({ pin, events: all }) => all.filter(({ method }) => layers.get(pin)?.includes(nameKey(method)) ?? true))
    .filter(({ start, end }) => atMs === null || (utcMs(start) <= atMs && atMs <= utcMs(end)));
}

export const shownEvents = computed<readonly SolarEvent[]>(() => {
  const view = shown.value?.view;
  return view && events.value ? eventsIn(events.value, view) : [];
});

/** Events on the visible side by pin: reports of several methods about one region share it. */
export const pinned = (list: readonly SolarEvent[]) => pinsOf(list.filter(({ isVisible }) => isVisible));

export const eventPins = computed(() => pinned(shownEvents.value));

const nextLoad = turns();
let loadedMs: number | null = null;

export async function loadEvents(atMs: number): Promise<void> {
  const signal = nextLoad();
  loadedMs = atMs;
  eventsFailure.value = null;
  try {
    events.value = await eventsAt(atMs, signal);
  } catch (error) {
    if (signal.aborted) return;
    loadedMs = null;
    events.value = null;
    eventsFailure.value = sentenceOf(error);
  }
}

/** The time of the picture while its events are wanted, else null. */
const wantedMs = computed(() => {
  const view = shown.value?.view;
  const isWanted = view && (view.events.length > 0 || panel.value === 'events' || panel.value === 'presets');
  return isWanted ? view.atMs : null;
});

// After a failure only another time loads again, or the user: not each move of the picture.
effect(() => {
  const atMs = wantedMs.value;
  if (atMs === null || atMs === loadedMs) return;
  if (isMoving.value) follow(atMs);
  else void loadEvents(atMs);
});

const MOST_KEPT = 200;
/** Rest after events of a moving picture did not load. */
const FAILED_REST_MS = 5_000;
/** Events by their time, all that there are, which loops and saved movies show again. */
const kept = new Map<number, EventsAt>();
let isFollowing = false;

async function keptEvents(atMs: number): Promise<EventsAt> {
  const found = kept.get(atMs) ?? (await eventsAt(atMs));
  if (found.sources.some(({ state }) => state === 'failed')) return found;
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(atMs, found);
  return found;
}

function note(atMs: number, found: EventsAt): void {
  nextLoad();
  loadedMs = atMs;
  events.value = found;
  eventsFailure.value = null;
}

/** Shows the events of a picture that moves, by one request at a time: until the next ones come, those that are not over. */
function follow(atMs: number): void {
  const known = kept.get(atMs);
  if (known) note(atMs, known);
  if (known || isFollowing) return;
  isFollowing = true;
  keptEvents(atMs)
    .then((found) => isMoving.value && note(atMs, found))
    .catch(() => delay(FAILED_REST_MS))
    .finally(() => {
      isFollowing = false;
      if (isMoving.value && wantedMs.value !== null && wantedMs.value !== loadedMs) follow(wantedMs.value);
    });
}

/** The events that a picture of a saved movie shows; those that are there where others do not load. */
export async function eventsOfPicture(view: Shown['view']): Promise<readonly SolarEvent[]> {
  if (view.events.length === 0 || view.atMs === null) return [];
  const near = await keptEvents(view.atMs).catch(() => events.value);
  return near ? eventsIn(near, view) : [];
}
