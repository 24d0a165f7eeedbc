// How to hear of events: feeds for reading programs, and webhooks for others.
import { shown } from '../../store/state.ts';
import { texts, typeName } from '../../texts.ts';

const USUAL = ['FL', 'CE'];

export function Tell() {
  const words = texts.events.tell;
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
