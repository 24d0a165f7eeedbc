// Pins, labels and outlines of the shown events.
import type { SolarEvent } from '../api/events.ts';
import { eventTitle } from '../model/event-pins.ts';
import { eventPins, selectedEvent, shownEvents } from '../store/events.ts';
import { panel } from '../store/state.ts';
import { fill, texts } from '../texts.ts';
import { outlinePath } from './drawings.ts';
import type { Point } from './geometry.ts';
import { pixelOfEvent, type Screen } from './screen.ts';

/** A line on a dark one, which tells it from any picture. */
export const Line = ({ d, name, ...data }: Readonly<Record<'d' | 'name', string> & Record<`data-${string}`, unknown>>) => (
  <>
    <path class="casing" d={d} />
    <path class={name} d={d} {...data} />
  </>
);

export function Outlines({ list = shownEvents.value, ...screen }: Screen & { readonly list?: readonly SolarEvent[] }) {
  const outlined = list.filter(({ footprint, isVisible }) => isVisible && footprint.length > 0);
  return outlined.map(({ id, pin, ...place }) => (
    <Line key={id} name="outline" data-pin={pin} data-selected={selectedEvent.value === id} d={outlinePath(place, screen)} />
  ));
}

/** Estimated place of a label beside its pin, and the radius of a pin, pixels. */
const LABEL = { offset: 14, height: 16, character: 6.6 };
export const PIN_RADIUS = 12;

/** Pixels by which the selected pin stands to the right of its place and above it, so that the event is seen. */
const BESIDE = 28;

const titleOf = (events: readonly [SolarEvent, ...SolarEvent[]]) =>
  eventTitle((events.find(({ id }) => id === selectedEvent.value) ?? events[0]).shortLabel);

/** Pins on a screen. A label that would cover a pin or an earlier label, or leave the screen, is left out. */
export function placedPins(screen: Screen, pins = eventPins.value) {
  const { size } = screen;
  const onIt = pins
    .flatMap((events) => {
      const at = pixelOfEvent(events[0], events[0].atMs, screen);
      return at ? [{ events, at, isChosen: events.some(({ id }) => id === selectedEvent.value) }] : [];
    })
    .filter(({ at }) => at.x >= 0 && at.y >= 0 && at.x <= size.width && at.y <= size.height);
  const taken = onIt.map(({ at: { x, y } }) => ({ x: x - PIN_RADIUS, y, right: x + PIN_RADIUS }));
  const labelled = new Map<Point, boolean>();
  for (const { events, at, isChosen } of onIt.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen))) {
    const { x: atX, y } = isChosen ? { x: at.x + BESIDE, y: at.y - BESIDE } : at;
    const x = atX + LABEL.offset;
    const right = x + titleOf(events).length * LABEL.character;
    const isFree = taken.every((one) => right < one.x || one.right < x || Math.abs(y - one.y) > LABEL.height);
    const hasLabel = (isFree && right < size.width) || isChosen;
    if (hasLabel) taken.push({ x, y, right });
    labelled.set(at, hasLabel);
  }
  return onIt.map((pin) => ({ ...pin, title: titleOf(pin.events), hasLabel: labelled.get(pin.at)! }));
}

/** The focus goes from pin to pin by the arrow keys, so that the Tab key skips them in one step. */
function toOtherPin(event: KeyboardEvent): void {
  const pin = event.target as Element;
  const other = /^Arrow(Left|Up)$/.test(event.key)
    ? pin.previousElementSibling
    : /^Arrow/.test(event.key) && pin.nextElementSibling;
  if (!(other instanceof HTMLElement)) return;
  event.preventDefault();
  other.focus();
}

/** Pins of events; the same events are in the list of their panel. */
export function Pins(screen: Screen) {
  const pins = placedPins(screen);
  const first = pins.find(({ isChosen }) => isChosen) ?? pins[0];
  return (
    <fieldset class="pins" aria-label={texts.events.pins} onKeyDown={toOtherPin}>
      {pins.map((placed) => {
        const { at, events, title, isChosen, hasLabel } = placed;
        const [{ id, pin }, ...others] = events;
        const more = others.length === 0 ? '' : ` ${fill(texts.events.moreReports, { count: others.length })}`;
        return (
          <button
            key={id}
            type="button"
            class={`pin pin-${pin}`}
            tabIndex={placed === first ? 0 : -1}
            aria-pressed={isChosen}
            aria-label={`${pin} ${title}${more}`}
            title={title + more}
            ref={(element) => element?.style.setProperty('transform', `translate(${at.x.toFixed(1)}px,${at.y.toFixed(1)}px)`)}
            onClick={() => {
              if (!isChosen) selectedEvent.value = id;
              panel.value = 'events';
            }}
          >
            {pin}{' '}
            {hasLabel && (
              <span class="pin-label" aria-hidden="true">
                {title}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}
