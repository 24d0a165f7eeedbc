// Events: types with counts, the list that the pins show, details, and the state of each source.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { View } from '../../picture/address/view.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { pictureObserver } from '../../sun/coordinates/observer.ts';
import { nameKey } from '../../sun/events/event-types.ts';
import { formatDateTime } from '../../sun/time.ts';
import { type EventCategory, type EventsAt, type SolarEvent, utcMs } from '../api/events.ts';
import { eventTitle } from '../model/event-pins.ts';
import { nextMoment } from '../model/timeline.ts';
import { hasWords, topicsOfEvents } from '../model/topics.ts';
import { Check, IconButton, Status, TextField } from '../page/fields.tsx';
import { Failure } from '../page/loading.tsx';
import { lookAt } from '../picture/screen.ts';
import { showFound } from '../store/actions.ts';
import { events, eventsFailure, loadEvents, selectedEvent, shownEvents } from '../store/events.ts';
import { setOption } from '../store/layers.ts';
import { shown, timeAsked, trouble } from '../store/state.ts';
import { eventTexts, failureTexts, topicTexts } from '../texts/more.ts';
import { durationText, fill, texts, typeName } from '../texts.ts';
import { eventMarkers } from '../time/coverage.ts';
import { EventDetails } from './event-details.tsx';
import { placeInWords, Regions } from './events/regions.tsx';

const MOST_LISTED = 200;

/** Days in which the next event is searched for, each with a request. */
const MOST_DAYS = 7;
const SEARCHED_MS = DAY_MS - 1000;

/** Finds the next event of a type. */
async function nextEvent(pin: string, direction: -1 | 1, signal: AbortSignal): Promise<Partial<View> | null> {
  const atMs = timeAsked.value!;
  for (let day = 0; day < MOST_DAYS; day += 1) {
    const [nearMs, reachMs] = [atMs + direction * day * DAY_MS, direction * SEARCHED_MS];
    const range = { startMs: Math.min(nearMs, nearMs + reachMs), endMs: Math.max(nearMs, nearMs + reachMs) };
    const toMs = nextMoment((await eventMarkers([pin], range, signal)).markers, atMs, direction);
    if (toMs !== null) return { atMs: toMs };
  }
  trouble.value = { sentence: fill(eventTexts.noneNear, { days: fill(texts.durations.day, { count: MOST_DAYS }) }) };
  return null;
}

const USUAL = ['FL', 'CE'];

/** How to hear of events: feeds for reading programs, and webhooks for others. */
function Tell() {
  const words = eventTexts.tell;
  const pins = [...new Set([...USUAL, ...shown.value!.view.events.map(({ pin }) => pin)])];
  return (
    <details class="tell">
      <summary>{words.title}</summary>
      <p class="quiet">{words.feeds}</p>
      <ul class="links">
        {pins.map((pin) => (
          <li key={pin}>
            <a href={`/feeds/events/${pin}.atom`}>{typeName(pin)}</a>
          </li>
        ))}
      </ul>
      <p class="quiet">
        {words.webhooks} <a href="/docs/#guide-tools">{words.how}</a>
      </p>
    </details>
  );
}

function choose(pin: string, methods: readonly string[] | null): void {
  const present = shown.value!.view.events;
  const at = present.findIndex((layer) => layer.pin === pin);
  const chosen = methods?.length === 0 ? [] : [{ pin, methods }];
  setOption({ events: present.toSpliced(at < 0 ? present.length : at, 1, ...chosen) });
}

/** Shows an active region, whose type may not be among the shown ones. */
function showRegion(id: string): void {
  if (!shownEvents.value.some((event) => event.id === id)) choose('AR', null);
  selectedEvent.value = id;
}

type MethodListProps = Pick<EventCategory, 'pin' | 'events'> & { readonly shownMethods: readonly string[] | null };

function MethodList({ pin, events: list, shownMethods }: MethodListProps) {
  const names = [...new Set(list.map(({ method }) => method))];
  const all = names.map(nameKey);
  const present = shownMethods ?? all;
  if (names.length < 2) return null;
  const set = (key: string, isOn: boolean) => {
    const next = isOn ? [...present, key] : present.filter((one) => one !== key);
    choose(pin, all.every((one) => next.includes(one)) ? null : next);
  };
  return (
    <ul class="methods">
      {names.map((name) => (
        <li key={name}>
          <Check
            label={
              <>
                {name} <span class="quiet">{list.filter(({ method }) => method === name).length}</span>
              </>
            }
            isOn={present.includes(nameKey(name))}
            set={(isOn) => set(nameKey(name), isOn)}
          />
        </li>
      ))}
    </ul>
  );
}

const wordsOf = ({ name, pin, events: list }: EventCategory) =>
  [pin, name, typeName(pin, name), ...new Set(list.map(({ method }) => method))]
    .concat(topicsOfEvents(pin).map((topic) => topicTexts[topic]))
    .join(' ');

function TypeList({ categories: all }: { readonly categories: readonly EventCategory[] }) {
  const search = useSignal('');
  const chosen = shown.value!.view.events;
  const categories = all.filter((category) => hasWords(wordsOf(category), search.value));
  return (
    <fieldset class="types">
      <legend>{eventTexts.types}</legend>
      <TextField type="search" id="search-events" label={eventTexts.search} placeholder={eventTexts.example} text={search} />
      {categories.length === 0 && <p class="quiet">{eventTexts.noneFound}</p>}
      {categories.map((category) => {
        const { name, pin, events: list } = category;
        const layer = chosen.find((one) => one.pin === pin);
        return (
          <div key={name + pin}>
            <label class="check">
              <input type="checkbox" checked={layer !== undefined} onChange={() => choose(pin, layer ? [] : null)} />
              <span class={`pin-mark pin-${pin}`} aria-hidden="true">
                {pin}
              </span>
              {typeName(pin, name)} <span class="quiet">{list.length}</span>
            </label>
            {layer && (
              <div class="event-steps">
                {([-1, 1] as const).map((direction) => (
                  <IconButton
                    key={direction}
                    icon={direction < 0 ? 'previous' : 'next'}
                    label={fill(direction < 0 ? eventTexts.previousOf : eventTexts.nextOf, { name: typeName(pin, name) })}
                    act={() => void showFound((signal) => nextEvent(pin, direction, signal))}
                  />
                ))}
              </div>
            )}
            {layer && <MethodList {...category} shownMethods={layer.methods} />}
          </div>
        );
      })}
    </fieldset>
  );
}

/** `06:54`: the peak, else the start. */
const clockOf = ({ peak, start }: SolarEvent) => formatDateTime(utcMs(peak ?? start)).slice(11, 16);

function EventItem({ event }: { readonly event: SolarEvent }) {
  const isOpen = selectedEvent.value === event.id;
  const item = useRef<HTMLLIElement>(null);
  // The details are in view, also when a pin has been clicked.
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'start' });
  }, [isOpen]);
  return (
    <li ref={item}>
      <button
        type="button"
        class="row-button"
        aria-expanded={isOpen}
        onClick={() => {
          selectedEvent.value = isOpen ? null : event.id;
          if (!isOpen && event.isVisible) lookAt({ x: event.x, y: -event.y }, pictureObserver(event.atMs));
        }}
      >
        <span class="event-title">
          <span class={`pin-mark pin-${event.pin}`} aria-hidden="true">
            {event.pin}
          </span>
          <strong>{eventTitle(event.shortLabel || event.label)}</strong>
        </span>
        <span class="quiet">
          {[
            typeName(event.pin, event.type),
            placeInWords(event) || (event.isVisible ? '' : eventTexts.behind),
            clockOf(event),
            event.method || event.source,
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
      </button>
      {isOpen && <EventDetails event={event} />}
    </li>
  );
}

function Sources({ categories, sources }: EventsAt) {
  const all = categories.flatMap((category) => category.events);
  const failed = sources.filter(({ state }) => state === 'failed').map(({ name }) => name);
  return (
    <>
      <ul class="event-sources quiet" aria-label={eventTexts.sources}>
        {sources.map(({ name, state, loadedAtMs }) => (
          <li key={name} class={state}>
            {state === 'failed'
              ? fill(eventTexts.sourceFailed, { name })
              : fill(eventTexts.source, { name, count: all.filter(({ source }) => source === name).length })}
            {loadedAtMs !== null &&
              ` (${fill(state === 'stale' ? eventTexts.loadedStale : eventTexts.loaded, { age: durationText((Date.now() - loadedAtMs) / 1000) })})`}
          </li>
        ))}
      </ul>
      {failed.length > 0 && (
        <Failure sentences={[fill(failureTexts.eventSources, { names: failed.join(', ') })]} retry={loadAgain} />
      )}
    </>
  );
}

const loadAgain = () => void loadEvents(shown.value!.view.atMs);

export function Events() {
  const state = events.value;
  if (eventsFailure.value) return <Failure sentences={[eventsFailure.value]} retry={loadAgain} />;
  if (!state) return <p class="quiet">{texts.loading}</p>;
  const list = shownEvents.value;
  return (
    <>
      {state.categories.length === 0 ? <p class="quiet">{eventTexts.none}</p> : <TypeList categories={state.categories} />}
      <Regions categories={state.categories} show={showRegion} />
      <Status>{fill(eventTexts.listed, { count: list.length })}</Status>
      <ul class="list" id="event-list">
        {list.map(
          (event, i) => (i < MOST_LISTED || event.id === selectedEvent.value) && <EventItem key={event.id} event={event} />,
        )}
      </ul>
      <Tell />
      <Sources {...state} />
    </>
  );
}
