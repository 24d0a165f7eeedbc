// Events: types with counts, the list that the pins show, details, and the state of each source.
import '../core.ts';
import type { EventCategory, SolarEvent } from '../api/events.ts';
import { Failure } from '../page/loading.tsx';
import { durationText } from '../page/numbers.ts';
import { setOption } from '../store/actions.ts';
import { events, loadEvents, selectedEvent, shownEvents } from '../store/events.ts';
import { currentPicture } from '../store/open.ts';
import { shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { EventDetails } from './event-details.tsx';

const MOST_LISTED = 200;

/** The name of a type in the language of the page, or that of the service. */
const eventTypeName = (pin: string, name: string) => (texts.events.names as Readonly<Record<string, string>>)[pin] ?? name;

function toggle(pin: string): void {
  const present = shown.value!.view.events;
  setOption({ events: present.includes(pin) ? present.filter((one) => one !== pin) : [...present, pin] });
}

function TypeList({ categories }: { readonly categories: readonly EventCategory[] }) {
  const chosen = shown.value!.view.events;
  return (
    <fieldset class="types">
      <legend>{texts.events.types}</legend>
      {categories.map(({ name, pin, events: list }) => (
        <label key={name + pin} class="check">
          <input type="checkbox" checked={chosen.includes(pin)} onChange={() => toggle(pin)} />
          <span class={`pin-mark pin-${pin}`} aria-hidden="true">
            {pin}
          </span>
          {eventTypeName(pin, name)} <span class="quiet">{list.length}</span>
        </label>
      ))}
    </fieldset>
  );
}

function look({ x, y, isVisible }: SolarEvent): void {
  if (isVisible) currentPicture()?.look({ x, y: -y });
}

function EventItem({ event }: { readonly event: SolarEvent }) {
  const isOpen = selectedEvent.value === event.id;
  return (
    <li>
      <button
        type="button"
        class="row-button"
        aria-expanded={isOpen}
        onClick={() => {
          selectedEvent.value = isOpen ? null : event.id;
          if (!isOpen) look(event);
        }}
      >
        <strong>{event.shortLabel || event.label}</strong>
        <span class="quiet">
          {event.method || event.source}
          {event.isVisible ? '' : ` · ${texts.events.behind}`}
        </span>
      </button>
      {isOpen && <EventDetails event={event} />}
    </li>
  );
}

const ageOf = (loadedAtMs: number) => durationText((Date.now() - loadedAtMs) / 1000);

function Sources() {
  const state = events.value;
  if (state.kind !== 'there') return null;
  const all = state.categories.flatMap((category) => category.events);
  return (
    <ul class="event-sources quiet" aria-label={texts.events.sources}>
      {state.sources.map(({ name, state: condition, loadedAtMs }) => (
        <li key={name} class={condition}>
          {texts.events.source(name, condition, all.filter(({ source }) => source === name).length)}
          {loadedAtMs !== null && ` (${texts.events.loaded(ageOf(loadedAtMs), condition === 'stale')})`}
        </li>
      ))}
    </ul>
  );
}

/** For sources that did not respond. */
function Again() {
  const state = events.value;
  if (state.kind !== 'there') return null;
  const failed = state.sources.filter(({ state: condition }) => condition === 'failed').map(({ name }) => name);
  if (failed.length === 0) return null;
  return <Failure sentences={[texts.failures.eventSources(failed)]} retry={() => void loadEvents(shown.value!.view.atMs)} />;
}

export function Events() {
  const state = events.value;
  if (state.kind === 'failed') {
    return <Failure sentences={[state.sentence]} retry={() => void loadEvents(shown.value!.view.atMs)} />;
  }
  if (state.kind !== 'there') return <p class="quiet">{texts.loading}</p>;
  const list = shownEvents.value;
  return (
    <>
      {state.categories.length === 0 ? <p class="quiet">{texts.events.none}</p> : <TypeList categories={state.categories} />}
      <p class="quiet" role="status">
        {texts.events.listed(list.length)}
      </p>
      <ul class="list" id="event-list">
        {list.slice(0, MOST_LISTED).map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ul>
      <Sources />
      <Again />
    </>
  );
}
