// The facts of an event, and the step to its peak.
import { formatDateTime } from '../../../domain/time.ts';
import type { SolarEvent } from '../api/events.ts';
import { fixed } from '../page/numbers.ts';
import { change } from '../store/open.ts';
import { texts } from '../texts.ts';

const MOST_FACTS = 14;

const utcMs = (text: string) => Date.parse(/Z$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);

/** Facts that are not empty, the first ones of each group. */
function factsOf({ views }: SolarEvent): [string, string][] {
  const all = views.flatMap(({ content }) => Object.entries(content ?? {}));
  return all
    .filter(([, value]) => value !== null && value !== '' && typeof value !== 'object')
    .map(([name, value]) => [name, String(value)] as [string, string])
    .slice(0, MOST_FACTS);
}

export function EventDetails({ event }: { readonly event: SolarEvent }) {
  const { start, peak, end, x, y, link, source, method } = event;
  const words = texts.events;
  const peakMs = utcMs(peak ?? start);
  const isWebLink = link && /^https?:/.test(link.url);
  return (
    <div class="details">
      <button type="button" class="primary" onClick={() => void change({ atMs: peakMs })}>
        {peak ? words.toPeak : words.toStart}
      </button>
      <dl>
        <dt>{words.start}</dt>
        <dd>{formatDateTime(utcMs(start))}</dd>
        {peak && <dt>{words.peak}</dt>}
        {peak && <dd>{formatDateTime(utcMs(peak))}</dd>}
        <dt>{words.end}</dt>
        <dd>{formatDateTime(utcMs(end))}</dd>
        <dt>{words.place}</dt>
        <dd>
          {fixed(x, 0)}″, {fixed(y, 0)}″
        </dd>
        <dt>{words.by}</dt>
        <dd>
          {source} {method}
        </dd>
        {factsOf(event).flatMap(([name, value]) => [<dt key={`${name}-name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
      </dl>
      {isWebLink && (
        <a href={link.url} rel="noreferrer noopener" target="_blank">
          {link.text}
        </a>
      )}
    </div>
  );
}
