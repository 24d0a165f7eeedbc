// Solar events at a time.
import { dateOf, pathOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { archiveId } from '../../sun/events/archive-id.ts';
import { findEventType } from '../../sun/events/event-types.ts';
import { formatIso } from '../../sun/time.ts';
import { requestJson } from './request.ts';

export const utcMs = (text: string) => dateOf(text).getTime();

/** `id`: as timelines have it. `type`: two letters, `FL`. */
export interface SolarEvent
  extends Readonly<Pick<Schemas['EventRecord'], 'id' | 'type' | 'pin' | 'label' | 'start' | 'peak' | 'end'>> {
  readonly shortLabel: string;
  /** Arcseconds as seen from 1 au, x to the west, y to the NORTH. */
  readonly x: number;
  readonly y: number;
  /** The time of these places, milliseconds since 1970. */
  readonly atMs: number;
  readonly isVisible: boolean;
  /** Outlines and their holes in the same unit; empty for an event without one. */
  readonly footprint: readonly (readonly { readonly x: number; readonly y: number; readonly visible?: false }[])[];
  readonly link: { readonly url: string; readonly text: string } | null;
  readonly views: readonly { readonly name: string; readonly content: Readonly<Record<string, unknown>> }[];
  /** `HEK`, `CCMC`, `RHESSI` or `WSA`. */
  readonly source: string;
  readonly method: string;
}

export type EventCategory = { readonly name: string; readonly pin: string; readonly events: readonly SolarEvent[] };

export interface EventSource {
  readonly name: string;
  readonly state: 'ok' | 'stale' | 'failed';
  /** When the oldest part of its events was loaded, milliseconds since 1970; null for a source without events of this day. */
  readonly loadedAtMs: number | null;
}

export type EventsAt = { readonly categories: readonly EventCategory[]; readonly sources: readonly EventSource[] };

function eventOf(row: Schemas['EventRecord'], atMs: number): SolarEvent {
  const [source = '', , ...groups] = row.path.split('>>');
  const method = groups.join(' ');
  const { id, type, pin, label, start, peak, end, link } = row;
  const place = { x: row.hv_hpc_x, y: row.hv_hpc_y, atMs, isVisible: row.visible, footprint: row.footprint ?? [] };
  const rest = { shortLabel: row.short_label, views: row.views ?? [], link: link ?? null };
  return { id: archiveId(id), type, pin, label, start, peak, end, source, method, ...place, ...rest };
}

/** `HEK=ok, CCMC=stale;age=300`, and `HEK=2024-05-10T12:00:00Z, CCMC=…` */
function sourcesOf(headers: Headers): EventSource[] {
  const listed = (name: string) =>
    [...(headers.get(name) ?? '').matchAll(/(?:^|,)\s*(\w+)=([^,;\s]+)/g)].map(([, source, text]) => [source!, text!] as const);
  const loaded = new Map(listed('X-Events-Loaded').map(([name, at]) => [name, Date.parse(at)]));
  return listed('X-Events-Sources').map(([name, state]) => ({
    ...{ name, state: state === 'stale' || state === 'failed' ? state : 'ok' },
    loadedAtMs: loaded.get(name) ?? null,
  }));
}

export async function eventsAt(atMs: number, signal?: AbortSignal): Promise<EventsAt> {
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
