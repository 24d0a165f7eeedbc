// The highlights of the day: flares, ejections, eruptions, regions and filaments, each a step to its time.

import { Fragment } from 'preact';
import { dayStart, formatDateTime, isoDay } from '../../../domain/time.ts';
import type { View } from '../../../picture/address/view.ts';
import { plainLayer } from '../../../picture/layers.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { eventsAt } from '../api/events.ts';
import { HIGHLIGHT_PINS, type Highlight, type HighlightKind, highlightsOf } from '../model/highlights.ts';
import { Failure, useLoaded } from '../page/loading.tsx';
import { selectedEvent } from '../store/events.ts';
import { change } from '../store/open.ts';
import { pictureSize, projection, shown } from '../store/state.ts';
import { presetTexts } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';
import { eventsOf } from '../time/coverage.ts';
import { hasImages } from './catalogue.ts';

/** Events without a moment of their own, whose chip shows no time. */
const LASTING: readonly HighlightKind[] = ['region', 'filament'];

/** LASCO C2, which has an ejection in its field soon after the start, else C3. */
const CORONAGRAPHS = [4, 5] as const;
/** AIA 304, on the disk that a coronagraph covers. */
const DISK = 13;

/** The layers that show a highlight, with all of their field; those of the present view unless it is an ejection. */
function layersFor({ kind, atMs }: Highlight): Partial<View> {
  const coronagraph = CORONAGRAPHS.find((id) => hasImages(id, atMs));
  if (kind !== 'ejection' || coronagraph === undefined) return {};
  const layers = [...(hasImages(DISK, atMs) ? [DISK] : []), coronagraph].map(plainLayer);
  return { layers, centre: null, imageScale: null };
}

/** Arcseconds across the shorter side of the picture around an event: an active region with its surroundings. */
const AROUND_ARCSEC = 480;

async function placeOf({ kind, id, atMs }: Highlight): Promise<Partial<View>> {
  if (kind === 'ejection' || projection.value.kind !== 'plane') return {};
  const { categories } = await eventsAt(atMs).catch(() => ({ categories: [] }));
  const event = categories.flatMap(({ events }) => events).find((one) => one.id === id && one.isVisible);
  const { width, height } = pictureSize.value;
  return event ? { centre: { x: event.x, y: -event.y }, imageScale: AROUND_ARCSEC / Math.min(width, height) } : {};
}

function Chip({ highlight }: { readonly highlight: Highlight }) {
  const { kind, id, pins, title, atMs } = highlight;
  const show = async () => {
    selectedEvent.value = id;
    const place = await placeOf(highlight);
    const others = shown.value!.view.events.filter(({ pin }) => !pins.includes(pin));
    const events = [...others, ...pins.map((pin) => ({ pin, methods: null }))];
    await change({ atMs, events, ...place, ...layersFor(highlight) });
  };
  return (
    <li>
      <button type="button" onClick={() => void show()}>
        <strong>{title}</strong>
        {!LASTING.includes(kind) && <span class="quiet"> {formatDateTime(atMs).slice(11, 16)}</span>}
      </button>
    </li>
  );
}

export function Highlights({ atMs }: { readonly atMs: number }) {
  const dayMs = dayStart(atMs);
  const key = String(dayMs);
  const { last, failure, retry } = useLoaded(key, (signal) =>
    // A range below a day has single events.
    eventsOf(HIGHLIGHT_PINS, { startMs: dayMs, endMs: dayMs + DAY_MS - 1000 }, signal),
  );
  const events = last?.key === key ? last.value : null;
  const highlights = highlightsOf(events ?? [], atMs, dayMs, dayMs + DAY_MS);
  const kinds = [...new Set(highlights.map(({ kind }) => kind))];
  return (
    <section class="highlights" aria-labelledby="highlights">
      <h3 id="highlights">{fill(presetTexts.highlights, { day: isoDay(dayMs) })}</h3>
      {events === null && !failure && <p class="quiet">{texts.loadingEvents}</p>}
      {failure && <Failure sentences={[failure]} retry={retry} />}
      {events && highlights.length === 0 && <p class="quiet">{presetTexts.noHighlights}</p>}
      {kinds.map((kind) => (
        <Fragment key={kind}>
          <h4 id={`highlights-${kind}`}>{presetTexts.kinds[kind]}</h4>
          <ul class="chips" aria-labelledby={`highlights-${kind}`}>
            {highlights.map((one) => one.kind === kind && <Chip key={one.id} highlight={one} />)}
          </ul>
        </Fragment>
      ))}
    </section>
  );
}
