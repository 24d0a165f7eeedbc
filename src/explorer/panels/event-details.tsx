// The facts of an event: times, place, measured values, all fields of its source, other reports of the same region.
import { directionOf } from '../../sun/coordinates/picture-plane.ts';
import { formatDateTime } from '../../sun/time.ts';
import { type SolarEvent, utcMs } from '../api/events.ts';
import { type FactValue, factsOf } from '../model/event-facts.ts';
import { eventTitle } from '../model/event-pins.ts';
import { Away, Button, Facts, setTo } from '../page/fields.tsx';
import { eventPins, selectedEvent } from '../store/events.ts';
import { change } from '../store/open.ts';
import { observer } from '../store/state.ts';
import { eventTexts as words } from '../texts/more.ts';
import { fixed, numberText } from '../texts.ts';

/** Names and values of all groups that have one; of equal names the first. */
export function columnsOf({ views }: SolarEvent): Map<string, string | number> {
  const columns = new Map<string, string | number>();
  for (const [name, value] of views.flatMap(({ content }) => Object.entries(content ?? {}))) {
    if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      if (!columns.has(name)) columns.set(name, value);
  }
  return columns;
}

function valueText(fact: FactValue): string {
  if ('text' in fact) return fact.text;
  const spread = fact.spread === undefined ? '' : ` ± ${numberText(fact.spread, fact.digits)}`;
  return `${numberText(fact.value, fact.digits)}${spread}${/^$|^[°/]/.test(fact.unit) ? '' : ' '}${fact.unit}`;
}

function OtherReports({ event }: { readonly event: SolarEvent }) {
  const pin = eventPins.value.find((events) => events.includes(event)) ?? [event];
  const others = pin.filter((other) => other !== event);
  if (others.length === 0) return null;
  return (
    <>
      <h4 id="other-reports">{words.otherReports}</h4>
      <ul class="chips" aria-labelledby="other-reports">
        {others.map(({ id, shortLabel, method, source }) => (
          <li key={id}>
            <button type="button" onClick={setTo(selectedEvent, id)}>
              <strong>{eventTitle(shortLabel)}</strong> <span class="quiet">{method || source}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export function EventDetails({ event }: { readonly event: SolarEvent }) {
  const { start, peak, end, x, y, link, source, method } = event;
  const peakMs = utcMs(peak ?? start);
  const isWebLink = link && /^https?:/.test(link.url);
  const columns = columnsOf(event);
  const seen = observer.value && directionOf({ x, y: -y }, observer.value);
  return (
    <div class="details">
      <Button label={peak ? words.toPeak : words.toStart} act={() => void change({ atMs: peakMs })} class="primary" />
      <Facts
        of={[
          ...factsOf(Object.fromEntries(columns)).map((fact) => [words.facts[fact.name], valueText(fact)] as const),
          [words.start, formatDateTime(utcMs(start))],
          ...(peak ? [[words.peak, formatDateTime(peakMs)] as const] : []),
          [words.end, formatDateTime(utcMs(end))],
          [words.place, seen ? `${fixed(seen.x, 1)}″, ${fixed(seen.y, 1)}″ (${words.asSeen})` : '–'],
          [words.by, `${source} ${method}`],
        ]}
      />
      <OtherReports event={event} />
      {isWebLink && <Away label={link.text} href={link.url} />}
      <details>
        <summary>{words.allFields}</summary>
        <Facts of={[...columns]} />
      </details>
    </div>
  );
}
