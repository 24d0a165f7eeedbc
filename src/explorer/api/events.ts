// Solar events at a time.
import { dateOf, pathOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { archiveId, findEventType } from '../../sun/events/event-types.ts';
import { formatIso } from '../../sun/time.ts';
import { requestJson } from './request.ts';

export const utcMs = (text: string) => dateOf(text).getTime();

/**
 * An event of a time. `id`: as timelines have it; `type`: two letters, `FL`; `source`: `HEK`, `CCMC`, `RHESSI` or `WSA`. Places are those at
 * `atMs`, milliseconds since 1970: arcseconds as seen from 1 au, x to the west, y to the NORTH; `footprint`: outlines and their holes.
 */
function eventOf(row: Schemas['EventRecord'], atMs: number) {
  const [source = '', , ...groups] = row.path.split('>>');
  const method = groups.join(' ');
  const { id, type, pin, label, start, peak, end, link } = row;
  const place = { x: row.hv_hpc_x, y: row.hv_hpc_y, atMs, isVisible: row.visible, footprint: row.footprint ?? [] };
  const rest = { shortLabel: row.short_label, views: row.views ?? [], link: link ?? null };
  return { id: archiveId(id), type, pin, label, start, peak, end, source, method, ...place, ...rest };
}

export type SolarEvent = ReturnType<typeof eventOf>;

/**
 * `HEK=ok, CCMC=stale;age=300`, and `HEK=2024-05-10T12:00:00Z, CCMC=…`. `loadedAtMs`: when the oldest part of its events was loaded; null for a
 * source without events of this day.
 */
function sourcesOf(headers: Headers) {
  const listed = (name: string) =>
    [...(headers.get(name) ?? '').matchAll(/(?:^|,)\s*(\w+)=([^,;\s]+)/g)].map(([, source, text]) => [source!, text!] as const);
  const loaded = new Map(listed('X-Events-Loaded').map(([name, at]) => [name, Date.parse(at)]));
  return listed('X-Events-Sources').map(([name, state]) => ({
    ...{ name, state: state === 'stale' || state === 'failed' ? state : 'ok' },
    loadedAtMs: loaded.get(name) ?? null,
  }));
}

export async function eventsAt(atMs: number, signal?: AbortSignal) {
  const path = pathOf('events', { startTime: formatIso(atMs), format: 'tree' });
  const { body, headers } = await requestJson<Schemas['EventCategory'][]>(path, { signal });
  const categories = body.map(({ name, pin, groups }) => {
    // The view names types by pins, which mean the holes of the HEK, as pictures do.
    const events = groups
      .flatMap(({ data }) => data.map((row) => eventOf(row, atMs)))
      .filter(({ source }) => source === findEventType(pin)?.source);
    return { name, pin, events };
  });
  return { categories: categories.filter(({ events }) => events.length > 0), sources: sourcesOf(headers) };
}

export type EventsAt = Awaited<ReturnType<typeof eventsAt>>;
export type EventCategory = EventsAt['categories'][number];
