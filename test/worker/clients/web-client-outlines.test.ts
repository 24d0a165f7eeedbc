// Outlines of events, in the requests of the official web client: one of `events` for each source, and the picture that it loads as
// a background from `<web root>/` + hv_poly_url. The web root's host passes `/cache` on to this service.
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { R2EventDays } from '../../../src/services/events/event-days.ts';
import { R2ObjectStore } from '../../../src/storage/r2-object-store.ts';
import { DAY, hekRecord } from '../../support/events/event-records.ts';
import {
  clientView,
  coronalHole,
  FILAMENT_ID,
  filament,
  HOLE_ID,
  isInside,
  type OutlinedRecord,
  pinOf,
} from '../../support/events/outlined-records.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { clientGet, getPath } from './web-client.ts';

/** A day in R2. The sources of the tests never respond, so events come from there. */
async function keepDay(...records: Record<string, unknown>[]): Promise<void> {
  const days = new R2EventDays(new R2ObjectStore(env.ARCHIVE));
  await days.keep('hek', Date.parse(DAY), { records, isCut: false, missing: [], loadedAtMs: Date.now() });
}

beforeEach(() => keepDay(coronalHole(), filament(), hekRecord()));

async function eventsOf(concept: string, format = 'simpletree'): Promise<OutlinedRecord[]> {
  const response = await clientGet(`action=events&startTime=${DAY}T11:40:00.000Z&sources=HEK&format=${format}`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as Record<string, OutlinedRecord[]>;
  return body[`HEK>>${concept}`]!;
}

describe('events of the web client', () => {
  it('state the place of the outline for a coronal hole and a filament', async () => {
    for (const [concept, id] of [
      ['Coronal Hole', HOLE_ID],
      ['Filament', FILAMENT_ID],
    ] as const) {
      const [record] = await eventsOf(concept);
      expect(record).toMatchObject({ id, hpc_boundcc: expect.stringMatching(/^POLYGON/) });
      const numbers = Object.entries(record!).filter(([name]) => /^hv_(poly_(hpc|width|height)|marker)_/.test(name));
      expect(numbers).toHaveLength(8);
      for (const [, value] of numbers) expect(Number.isFinite(value)).toBe(true);
      const footprint = record!.footprint_ring.map(({ x, y }) => [x, y] as const);
      expect(isInside(pinOf(record!), [footprint])).toBe(true);
    }
  });

  it('put the pin of a hole into its outline at every zoom, in whole pixels', async () => {
    const [record] = await eventsOf('Coronal Hole');
    for (const imageScale of [0.30255511, 0.60511022, 2.42044088, 4.8408817]) {
      const { pin } = clientView(record!, imageScale);
      const footprint = record!.footprint_ring.map(({ x, y }) => [x / imageScale, -y / imageScale] as const);
      expect(isInside([Math.round(pin.x), Math.round(pin.y)], [footprint])).toBe(true);
    }
  });

  it('leave hpc_boundcc empty for an event without an outline, and place it by hv_hpc_x and hv_hpc_y', async () => {
    const [record] = await eventsOf('Active Region');
    expect(record).toMatchObject({ hpc_boundcc: '', hv_hpc_x: expect.any(Number), hv_hpc_y: expect.any(Number) });
    expect(record).not.toHaveProperty('hv_poly_url');
  });
});

describe('the outline that the web client loads', () => {
  it('stands at the root of the service under the path of the record, which CSS can quote', async () => {
    const [record] = await eventsOf('Coronal Hole');
    expect(record!.hv_poly_url).toMatch(/^cache\/events\/[\w~/-]+\.png$/);
    const response = await getPath(`/${record!.hv_poly_url}`);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    const { width, height } = readPng(new Uint8Array(await response.arrayBuffer()));
    expect([width, height]).toEqual([record!.hv_poly_width_max_zoom_pixels, record!.hv_poly_height_max_zoom_pixels]);
  });

  it('appears after its event and the sources are gone, and never enters R2', async () => {
    const [record] = await eventsOf('Filament');
    await env.ARCHIVE.delete('events/1/hek/2014/01/01.json.gz');
    expect((await getPath(`/${record!.hv_poly_url}`)).status).toBe(200);
    expect((await env.ARCHIVE.list()).objects).toEqual([]);
  });

  it('gets 404 at a path that no record has', async () => {
    const [record] = await eventsOf('Filament');
    for (const path of ['cache/events/x.png', record!.hv_poly_url.replace('/FI/', '/F%00/'), `${record!.hv_poly_url}.png`]) {
      const response = await getPath(`/${path}`);
      expect([response.status, await response.json()]).toMatchObject([404, { error: 'No outline of an event has this URL.' }]);
    }
  });
});
