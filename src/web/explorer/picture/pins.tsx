// Pins, labels and outlines of the shown events.

import type { SolarEvent } from '../api/events.ts';
import { eventTitle } from '../model/event-facts.ts';
import { eventPins, selectedEvent, shownEvents } from '../store/events.ts';
import { panel } from '../store/state.ts';
import { texts } from '../texts.ts';
import { outlinePath } from './drawings.ts';
import type { Point } from './geometry.ts';
import { pixelOfEvent, type Screen } from './screen.ts';

/** Events whose outlines are drawn. */
export const outlinedEvents = (list: readonly SolarEvent[]): readonly SolarEvent[] =>
  list.filter(({ footprint, isVisible }) => isVisible && footprint.length > 0);

/** Outlines of events, in the unit of the screen. */
export function Outlines(screen: Screen) {
  return (
    <>
      {outlinedEvents(shownEvents.value).map(({ id, pin, footprint }) => (
        <path
          key={id}
          class="outline"
          data-pin={pin}
          data-selected={selectedEvent.value === id}
          d={outlinePath(footprint, screen)}
        />
      ))}
    </>
  );
}

/** Estimated place of a label beside its pin, and the radius of a pin, pixels. */
const LABEL = { offset: 14, height: 16, character: 6.6 };
export const PIN_RADIUS = 12;

export interface PlacedPin {
  readonly at: Point;
  readonly events: readonly [SolarEvent, ...SolarEvent[]];
  readonly title: string;
  readonly hasLabel: boolean;
}

/** Pins on a screen. A label that would cover a pin or an earlier label, or leave the screen, is left out. */
export function placedPins(screen: Screen, pins = eventPins.value): PlacedPin[] {
  const { size } = screen;
  const onIt = pins
    .flatMap((events) => {
      const at = pixelOfEvent(events[0], screen);
      return at ? [{ events, at }] : [];
    })
    .filter(({ at }) => at.x >= 0 && at.y >= 0 && at.x <= size.width && at.y <= size.height);
  const taken = onIt.map(({ at: { x, y } }) => ({ x: x - PIN_RADIUS, y, right: x + PIN_RADIUS }));
  return onIt.map(({ events, at }) => {
    const title = eventTitle(events[0].shortLabel);
    const x = at.x + LABEL.offset;
    const right = x + title.length * LABEL.character;
    const isFree = taken.every((one) => right < one.x || one.right < x || Math.abs(at.y - one.y) > LABEL.height);
    const hasLabel = isFree && right < size.width;
    if (hasLabel) taken.push({ x, y: at.y, right });
    return { at, events, title, hasLabel };
  });
}

/** Pins of events; the same events are in the list of their panel. */
export function Pins(screen: Screen) {
  return (
    <div class="pins">
      {placedPins(screen).map(({ at, events, title, hasLabel }) => {
        const [{ id, pin }, ...others] = events;
        const isSelected = events.some((event) => event.id === selectedEvent.value);
        const more = others.length === 0 ? '' : ` ${texts.events.moreReports(others.length)}`;
        return (
          <button
            key={id}
            type="button"
            class={`pin pin-${pin}`}
            aria-pressed={isSelected}
            aria-label={`${pin} ${title}${more}`}
            title={title + more}
            ref={(element) => element?.style.setProperty('transform', `translate(${at.x.toFixed(1)}px,${at.y.toFixed(1)}px)`)}
            onClick={() => {
              if (!isSelected) selectedEvent.value = id;
              panel.value = 'events';
            }}
          >
            {pin}{' '}
            {(hasLabel || isSelected) && (
              <span class="pin-label" aria-hidden="true">
                {title}
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
