// Events at the time that is shown: loaded when the panel is open or types of events are shown.
import { computed, effect, signal, untracked } from '@preact/signals';
import { nameKey } from '../../../domain/events/event-types.ts';
import { type EventsAt, eventsAt, type SolarEvent } from '../api/events.ts';
import { pinsOf } from '../model/event-pins.ts';
import { isMoving, panel, shown } from './state.ts';

type EventsState =
  | { readonly kind: 'idle' | 'loading' }
  | { readonly kind: 'failed'; readonly sentence: string }
  | ({ readonly kind: 'there' } & EventsAt);

export const events = signal<EventsState>({ kind: 'idle' });
/** Id of the event whose details are shown. */
export const selectedEvent = signal<string | null>(null);

/** Events of the shown types and methods, as a list. */
export const shownEvents = computed<readonly SolarEvent[]>(() => {
  const state = events.value;
  const layers = new Map((shown.value?.view.events ?? []).map(({ pin, methods }) => [pin, methods]));
  if (state.kind !== 'there') return [];
  return state.categories
    .filter(({ pin }) => layers.has(pin))
    .flatMap(({ pin, events: all }) => all.filter(({ method }) => layers.get(pin)?.includes(nameKey(method)) ?? true));
});

/** The same on the visible side by pin: reports of several methods about one region share it. */
export const eventPins = computed(() => pinsOf(shownEvents.value.filter(({ isVisible }) => isVisible)));

let loading = new AbortController();
let loadedMs: number | null = null;

export async function loadEvents(atMs: number): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  loadedMs = atMs;
  if (untracked(() => events.value.kind) !== 'there') events.value = { kind: 'loading' };
  try {
    events.value = { kind: 'there', ...(await eventsAt(atMs, signal)) };
  } catch (error) {
    if (signal.aborted) return;
    loadedMs = null;
    events.value = { kind: 'failed', sentence: (error as Error).message };
  }
}

/** The time of the picture while its events are wanted, else null. */
const wantedMs = computed(() => {
  const view = shown.value?.view;
  const isWanted = view && (view.events.length > 0 || panel.value === 'events' || panel.value === 'presets');
  return isWanted && !isMoving.value ? view.atMs : null;
});

// After a failure only another time loads again, or the user: not each move of the picture.
effect(() => {
  const atMs = wantedMs.value;
  if (atMs !== null && atMs !== loadedMs) void loadEvents(atMs);
});
