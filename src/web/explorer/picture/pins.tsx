// Pins of events on the picture; the same events are in the list of their panel.
import { selectedEvent, shownEvents } from '../store/events.ts';
import { camera, panel, pictureSize } from '../store/state.ts';
import { onScreen } from './geometry.ts';

export function Pins() {
  const [view, size] = [camera.value, pictureSize.value];
  if (!view) return null;
  const pins = shownEvents.value.filter(({ isVisible }) => isVisible);
  return (
    <div class="pins">
      {pins.map(({ id, x, y, pin, shortLabel }) => {
        const { x: left, y: top } = onScreen(view, size, { x, y: -y });
        if (left < 0 || top < 0 || left > size.width || top > size.height) return null;
        return (
          <button
            key={id}
            type="button"
            class={`pin pin-${pin}`}
            aria-pressed={selectedEvent.value === id}
            aria-label={`${pin} ${shortLabel}`}
            title={shortLabel}
            ref={(element) => element?.style.setProperty('transform', `translate(${left.toFixed(1)}px,${top.toFixed(1)}px)`)}
            onClick={() => {
              selectedEvent.value = id;
              panel.value = 'events';
            }}
          >
            {pin}
          </button>
        );
      })}
    </div>
  );
}
