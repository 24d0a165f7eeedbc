// The active regions of the shown time as a table: number of NOAA, place, class, area of the spots, and classified flares of the day.
import { DAY_MS, MINUTE_MS } from '../../../platform/util/durations.ts';
import { pictureObserver } from '../../../sun/coordinates/observer.ts';
import { locationAt } from '../../../sun/coordinates/picture-plane.ts';
import { printLocation, rotation, type Stonyhurst } from '../../../sun/coordinates/sphere.ts';
import { dayStart, formatIso, isoDay } from '../../../sun/time.ts';
import type { EventCategory, SolarEvent } from '../../api/events.ts';
import { requestJson } from '../../api/request.ts';
import { type FactValue, factsOf } from '../../model/event-facts.ts';
import { Button, Table } from '../../page/fields.tsx';
import { Failure, useLoaded } from '../../page/loading.tsx';
import { save } from '../../saving/files.ts';
import { restMs, shown } from '../../store/state.ts';
import { eventTexts } from '../../texts/more.ts';
import { columnsOf } from '../event-details.tsx';

const locationOf = ({ x, y, atMs, isVisible }: SolarEvent): Stonyhurst | null =>
  isVisible ? locationAt({ x, y: -y }, pictureObserver(atMs)) : null;

/** `N17W52`: degrees from the equator and from the meridian that faces the Earth; empty beyond the disk. */
export function placeInWords(event: SolarEvent): string {
  const at = locationOf(event);
  return at ? printLocation(at) : '';
}

/** A flare belongs to the nearest region within so many degrees. */
const REACH_DEGREES = 10;

interface NumberedRegion {
  readonly event: SolarEvent;
  readonly number: number;
  readonly cells: { readonly class: string; readonly area: string };
}

/** The unit of areas in the table. */
const AREA_UNIT = 'µHem';

const textOf = (fact: FactValue | undefined) => (!fact ? '' : 'text' in fact ? fact.text : `${fact.value}`);

function regionsOf(categories: readonly EventCategory[]): NumberedRegion[] {
  const regions = new Map<number, NumberedRegion & { readonly facts: number }>();
  for (const event of categories.filter(({ pin }) => pin === 'AR').flatMap(({ events }) => events)) {
    const facts = factsOf(Object.fromEntries(columnsOf(event)));
    const find = (of: string) => textOf(facts.find(({ name }) => name === of));
    const number = Number(find('region'));
    if (!number || (regions.get(number)?.facts ?? 0) >= facts.length) continue;
    const area = facts.find((fact) => 'unit' in fact && fact.unit === AREA_UNIT);
    const cells = { class: find('magneticClass'), area: textOf(area) };
    regions.set(number, { event, number, cells, facts: facts.length });
  }
  return [...regions.values()].sort((a, b) => a.number - b.number);
}

type Flare = readonly [time: string, peak: string, longitude: number, latitude: number, goesClass: string];

/** The classified flares of a day, one of each class and minute. */
async function flaresOf(dayMs: number, signal: AbortSignal): Promise<Flare[]> {
  const query = new URLSearchParams({
    dataset: 'event_list_FL',
    start: formatIso(dayMs),
    stop: formatIso(dayMs + DAY_MS),
    parameters: 'peak,longitude,latitude,goes_class',
    format: 'json',
  });
  const { body } = await requestJson<{ readonly data: readonly Flare[] }>(`/hapi/data?${query}`, { signal });
  const flares = new Map(
    body.data
      .filter(([, , longitude, , goesClass]) => /^[A-Z]\d/.test(goesClass) && Math.abs(longitude) <= 180)
      .map((flare) => [`${flare[4]} ${Math.floor(Date.parse(flare[1]) / MINUTE_MS)}`, flare]),
  );
  return [...flares.values()];
}

const apart = (a: Stonyhurst, b: Stonyhurst) => Math.hypot(a.longitude - b.longitude, a.latitude - b.latitude);

function countsOf(regions: readonly NumberedRegion[], flares: readonly Flare[], atMs: number): Map<number, number> {
  const places = regions.flatMap(({ number, event }) => {
    const at = locationOf(event);
    return at ? [{ number, at }] : [];
  });
  const counts = new Map(places.map(({ number }) => [number, 0]));
  for (const [, peak, longitude, latitude] of flares) {
    const flare = rotation(Date.parse(peak), atMs)({ longitude, latitude });
    const [nearest] = places.toSorted((a, b) => apart(a.at, flare) - apart(b.at, flare));
    if (nearest && apart(nearest.at, flare) <= REACH_DEGREES) counts.set(nearest.number, counts.get(nearest.number)! + 1);
  }
  return counts;
}

type RegionsProps = { readonly categories: readonly EventCategory[]; readonly show: (id: string) => void };

export function Regions({ categories, show }: RegionsProps) {
  const { atMs } = shown.value!.view;
  const regions = regionsOf(categories);
  const dayMs = dayStart(atMs);
  const key = regions.length > 0 ? String(dayMs) : '';
  const { value, failure, retry } = useLoaded(key, (signal) => flaresOf(dayMs, signal), restMs());
  if (regions.length === 0) return null;
  const words = eventTexts.regions;
  const counts = value && countsOf(regions, value, atMs);
  const head = ['NOAA', eventTexts.place, words.class, words.area, words.flares];
  const rows = regions.map(({ number, event, cells }) => ({
    id: event.id,
    cells: [`${number}`, placeInWords(event), cells.class, cells.area, String(counts?.get(number) ?? '')],
  }));
  const csv = [head, ...rows.map(({ cells }) => cells)].map((cells) =>
    cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(),
  );
  return (
    <details class="region-table">
      <summary>{words.title}</summary>
      {failure && <Failure sentences={[failure]} retry={retry} />}
      <div class="table">
        <Table
          head={head}
          rows={rows.map(({ id, cells: [number, ...others] }) => [
            <Button key={id} label={number!} act={() => show(id)} class="plain" />,
            ...others,
          ])}
        />
      </div>
      <Button
        label={words.save}
        act={() => save(new Blob([`${csv.join('\r\n')}\r\n`], { type: 'text/csv' }), `regions-${isoDay(atMs)}.csv`)}
      />
    </details>
  );
}
