import { describe, expect, test } from 'vitest';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { RENDER_VERSION } from '../../../src/picture/raster/render-version.ts';
import { EVICTED_UNUSED_MS } from '../../../src/platform/limits/admission.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { budgetsIn } from '../../support/memory/budgets.ts';
import { memoryRenderers } from '../../support/memory/renderers.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => testArchive());

const FIELD = 'x1=-960&y1=-480&x2=960&y2=480';
const WHEN = 'date=2024-01-01T00:00:10Z&imageScale=2.4';
const LAYERS = 'layers=[10,1,100],[4,1,50]';
const GOOD = `${WHEN}&${LAYERS}&${FIELD}`;

/** Rows of the screenshots, in the order of their times. */
async function rowsOf({ services }: ReturnType<typeof testArchive>) {
  const { main } = services.databases;
  const { results } = await main.prepare('SELECT id, recipe, images FROM screenshots ORDER BY created_at_ms, rowid').all();
  return results as { id: number; recipe: string; images: string }[];
}

/** The recipe of the only screenshot. */
const recipeOf = async (archive: ReturnType<typeof testArchive>) => JSON.parse((await rowsOf(archive))[0]!.recipe);

/** Takes a screenshot; returns the path of its file. */
async function takenFile({ get }: ReturnType<typeof testArchive>, query = GOOD): Promise<string> {
  const { id } = (await (await get(`/v2/takeScreenshot/?${query}`)).json()) as { id: number };
  return `/v2/downloadScreenshot/?id=${id}`;
}

const derivedKeys = ({ objects }: ReturnType<typeof testArchive>) =>
  [...objects.objects.keys()].filter((key) => key.startsWith('derived/'));

function json(body: object): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** Their canonical form has 20,000 characters. */
const MANY_PATHS = Array.from({ length: 1600 }, (_, i) => `HEK>>${'x'.repeat(90)}${i}`);

describe('takeScreenshot', () => {
  it('returns the new id of a row with the recipe and the images, and renders nothing', async ({ archive }) => {
    const response = await archive.get(`/v2/takeScreenshot/?${GOOD}`);
    expect(await response.json()).toEqual({ id: expect.any(Number) });
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await recipeOf(archive)).toEqual({
      at: '2024-01-01T00:00:10.000Z',
      layers: '[10,1,100],[4,1,50]',
      region: [-960, -480, 960, 480],
      imageScale: 2.4,
    });
    const [row] = await rowsOf(archive);
    expect(row!.images).toBe('[[26],[20]]');
    expect([archive.pictures.drawn, derivedKeys(archive)]).toEqual([0, []]);
    expect(new Set([await takenFile(archive), await takenFile(archive), await takenFile(archive)]).size).toBe(3);
  });

  it('refuses a client whose rows of the hour have too many bytes, and no other', async () => {
    const clock = { nowMs: Date.UTC(2024, 0, 31, 23, 30) };
    const databases = databasesIn(migrated());
    const limits = { screenshots: { clientHour: 2_000, clientDay: 1e6, allDay: 1e6, subject: 'screenshots' } };
    const budgets = budgetsIn(databases, { clock: () => clock.nowMs, limits });
    const archive = testArchive({ clock: () => clock.nowMs, databases, budgets });
    const take = (address: string) => archive.get(`/v2/takeScreenshot/?${GOOD}`, { headers: { 'CF-Connecting-IP': address } });
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await take('192.0.2.1')).status));
    const taken = statuses.filter((status) => status === 200).length;
    expect([taken > 1, taken < 6, (await rowsOf(archive)).length]).toEqual([true, true, taken]);
    const refused = await take('192.0.2.1');
    expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toMatchObject([
      429,
      '600',
      { errno: 29, error: 'This address has used up its hourly or daily budget of screenshots. Try again later.' },
    ]);
    expect((await take('192.0.2.2')).status).toBe(200);
    clock.nowMs += 31 * 60_000;
    expect((await take('192.0.2.1')).status).toBe(200);
  });

  it('makes room for new ones by the oldest when the budget of all clients is used up, and then refuses', async () => {
    const clock = { nowMs: Date.UTC(2024, 0, 31, 12) };
    const databases = databasesIn(migrated());
    const limits = { screenshots: { clientHour: 1e6, clientDay: 1e6, allDay: 1_000, subject: 'screenshots' } };
    const budgets = budgetsIn(databases, { clock: () => clock.nowMs, limits });
    const archive = testArchive({ clock: () => clock.nowMs, databases, budgets });
    const take = () => archive.get(`/v2/takeScreenshot/?${GOOD}`);
    const old = ((await (await take()).json()) as { id: number }).id;
    clock.nowMs += EVICTED_UNUSED_MS + DAY_MS;
    const statuses = [await take(), await take(), await take(), await take()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 503]);
    expect((await archive.get(`/v2/downloadScreenshot/?id=${old}`)).status).toBe(404);
  });

  it('refuses a client that has used up its units before it looks for images', async () => {
    const archive = testArchive({ pictureLimiter: { limit: async () => ({ success: false }) } });
    const withoutImages = new URLSearchParams({
      ...Object.fromEntries(new URLSearchParams(GOOD)),
      layers: '[12,1,100]',
      display: 'true',
    });
    expect((await archive.get(`/v2/takeScreenshot/?${withoutImages}`)).status).toBe(429);
    expect((await testArchive().get(`/v2/takeScreenshot/?${withoutImages}`)).status).toBe(404);
  });

  it('serves a picture above the budget of stored files without storing it', async () => {
    const databases = databasesIn(migrated());
    const limits = { screenshotPixels: { clientHour: 100, clientDay: 1e6, allDay: 1e6, subject: 'files' } };
    const archive = testArchive({ databases, budgets: budgetsIn(databases, { limits }) });
    const { id } = (await (await archive.get(`/v2/takeScreenshot/?${GOOD}`)).json()) as { id: number };
    const file = await archive.get(`/v2/downloadScreenshot/?id=${id}`);
    expect([file.status, file.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    expect([...archive.objects.objects.keys()].filter((key) => key.includes('screenshots'))).toEqual([]);
  });

  it('reports image and time distance of every layer, and the far layers', async () => {
    const { headers } = await testArchive().get(`/v2/takeScreenshot/?${GOOD}&display=true`);
    expect(headers.get('X-Layer-Images')).toBe('AIA 171 2024-01-01T00:00:00.000Z -10; LASCO C2 2024-01-01T06:00:00.000Z +21590');
    expect(headers.has('X-Layers-Far')).toBe(false);
    expect(headers.get('X-Image-Scale')).toBe('2.4');
    expect(headers.has('X-Image-Scale-Adjusted')).toBe(false);
    expect(headers.get('Server-Timing')).toMatch(/index;dur=.*decode;dur=.*encode;dur=/);
    const later = await testArchive().get(
      `/v2/takeScreenshot/?date=2024-01-02T03:00:00Z&imageScale=2.4&${LAYERS}&${FIELD}&display=true`,
    );
    expect(later.headers.get('X-Layers-Far')).toBe('AIA 171');
  });

  it('returns the picture with display, even with a callback, and stores nothing', async ({ archive }) => {
    const response = await archive.get(`/v2/takeScreenshot/?${GOOD}&display=true&callback=show`);
    expect(response.headers.get('Content-Type')).toBe('image/png');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(new TextDecoder().decode(bytes)).toMatch(/^PNG 26,20 /);
    expect([derivedKeys(archive), await rowsOf(archive)]).toEqual([[], []]);
  });

  it('coarsens the scale of a picture above 4096 pixels and reports it', async ({ archive }) => {
    const field = 'date=2024-01-01T00:00:10Z&imageScale=1&layers=[10,1,100]&x0=0&y0=0&width=6000&height=3000';
    const { headers } = await archive.get(`/v2/takeScreenshot/?${field}`);
    expect([headers.get('X-Image-Scale'), headers.get('X-Image-Scale-Adjusted')]).toEqual(['1.46484375', 'true']);
    expect(await recipeOf(archive)).toMatchObject({ imageScale: 6000 / 4096, region: [-3000, -1500, 3000, 1500] });
  });

  it('renders the markers of the recipe', async () => {
    const marker = { pin: 'AR', colour: 'ff8f97', x: 300, y: 200, label: [], polygons: [] };
    const requestedMs: number[] = [];
    const markers = {
      markers: async ({ atMs }: { atMs: number }) => {
        requestedMs.push(atMs);
        return { events: [marker] };
      },
    };
    const response = await testArchive({ markers }).get(`/v2/takeScreenshot/?${GOOD}&events=[AR,all,1]&display=true`);
    expect(await response.text()).toContain(JSON.stringify({ events: [marker] }));
    expect(requestedMs).toEqual([Date.parse('2024-01-01T00:00:10Z')]);
  });

  it('draws the celestial bodies that the web client sends, and again when the file is downloaded', async ({ archive }) => {
    const bodies = { celestialBodiesLabels: 'soho-venus,soho-mars,soho-psp', celestialBodiesTrajectories: 'soho-venus' };
    const picture = {
      date: '2024-06-04T12:00:00Z',
      imageScale: 100,
      layers: '[10,1,100]',
      x0: 0,
      y0: 0,
      width: 400,
      height: 300,
    };
    const sent = json({ ...picture, eventsState: {}, ...bodies });
    const { id } = (await (await archive.get('/v2/postScreenshot/', sent)).json()) as { id: number };
    const drawn = await (await archive.get(`/v2/downloadScreenshot/?id=${id}`)).text();
    // 174.07 arcseconds to the west and 214.85 to the south from 1.004413 au.
    expect(drawn).toMatch(
      /"bodies":\{"labels":\[\{"x":174.8\d,"y":215.7\d,"name":"Venus","isFaint":false\}\],"trajectories":\[\{/,
    );
    const query = new URLSearchParams({ ...picture, ...bodies, display: 'true' } as never).toString();
    expect(await (await archive.get(`/v2/takeScreenshot/?${query}`)).text()).toBe(drawn);
  });

  it('returns the picture in the format and quality of the request, shown or by its id', async ({ archive }) => {
    const { id } = (await (await archive.get(`/v2/takeScreenshot/?${GOOD}`)).json()) as { id: number };
    for (const path of [`takeScreenshot/?${GOOD}&display=true`, `downloadScreenshot/?id=${id}`]) {
      const response = await archive.get(`/v2/${path}&type=webp&quality=80`);
      expect(response.headers.get('Content-Type')).toBe('image/webp');
      expect(response.headers.get('Content-Disposition')).toMatch(/\.webp"$/);
      expect(await response.text()).toMatch(/^WEBP80 /);
    }
    expect(derivedKeys(archive)).toEqual([]);
  });

  it('returns 404 for a source without images and adds no row', async ({ archive }) => {
    const response = await archive.get(`/v2/takeScreenshot/?${WHEN}&layers=[13,1,100]&${FIELD}`);
    expect([response.status, await response.json()]).toMatchObject([404, { errno: 10 }]);
    expect(await rowsOf(archive)).toEqual([]);
  });

  it.each([true, false])('returns 500 with errno 14 for a damaged image and logs it, with display=%s', async (isShown) => {
    const pictures = { file: () => Promise.reject(new Jp2Error('malformed', 'A packet header is cut short.')) };
    const archive = testArchive({ renderers: { ...memoryRenderers(), pictures } });
    const file = await takenFile(archive);
    const response = await archive.get(isShown ? `/v2/takeScreenshot/?display=true&${GOOD}` : file);
    expect([response.status, await response.json()]).toMatchObject([500, { errno: 14 }]);
    expect([archive.logged.length, derivedKeys(archive)]).toEqual([1, []]);
  });
});

const body = { date: '2024-01-01T00:00:10Z', imageScale: 2.4, layers: '[10,1,100]', x0: 0, y0: 0, width: 800, height: 400 };
const state = {
  tree_HEK: {
    id: 'HEK',
    markers_visible: true,
    labels_visible: true,
    layers: [{ event_type: 'AR', frms: ['NOAA_SWPC_Observer', 'SPoCA'], event_instances: [], open: true }],
  },
};

it.each(['eventsState', 'events'])('postScreenshot accepts the events as the object %s', async (name) => {
  const archive = testArchive();
  const response = await archive.get('/v2/postScreenshot/', json({ ...body, [name]: state }));
  expect(await response.json()).toEqual({ id: expect.any(Number) });
  expect((await recipeOf(archive)).events.tree_HEK.layers).toEqual([
    { event_type: 'AR', frms: ['NOAA_SWPC_Observer', 'SPoCA'], event_instances: [] },
  ]);
});

it('postScreenshot stores a short row for 800 kB of invented events', async ({ archive }) => {
  const eventsState = { ...state, tree_OTHER: { invented: 'x'.repeat(400_000) }, open: 'x'.repeat(400_000) };
  for (let i = 0; i < 5; i += 1) {
    const response = await archive.get('/v2/postScreenshot/', json({ ...body, width: 1, height: 1, eventsState }));
    expect(response.status).toBe(200);
  }
  expect((await rowsOf(archive)).map(({ recipe }) => recipe.length < 1_000)).toEqual(Array(5).fill(true));
});

it.each<[string, object]>([
  ['eventsState', { tree_HEK: 5 }],
  ['events', { tree_HEK: { labels_visible: true, layers: [], layers_v2: MANY_PATHS } }],
  ['event_selections', ['HEK>Flare']],
  ['event_visibility_selections', { HEK: { markers: false } }],
])('postScreenshot refuses an invalid object as %s', async (name, value) => {
  const archive = testArchive();
  const response = await archive.get(
    '/v2/postScreenshot/',
    json({ ...body, event_selections: name.startsWith('event_') ? ['HEK'] : undefined, [name]: value }),
  );
  expect([response.status, await response.json()]).toMatchObject([400, { errno: 25, parameter: name }]);
});

it('downloadScreenshot returns the file with its images for a day, and ranges of it', async ({ archive }) => {
  const { get, settle, pictures } = archive;
  const shown = await (await get(`/v2/takeScreenshot/?${GOOD}&display=true`)).text();
  const file = await takenFile(archive);
  for (const _ of ['first', 'archive', 'edge']) {
    const response = await get(file);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    expect(response.headers.get('Content-Type')).toBe('image/png');
    expect(response.headers.get('X-Layer-Images')).toMatch(/^AIA 171 .* -10; LASCO C2 .* \+21590$/);
    expect(response.headers.get('X-Image-Distance')).toBe('21590');
    expect(response.headers.get('X-Image-Date')).toBe('2024-01-01T06:00:00.000Z');
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="2024_01_01_00_00_10_AIA_171__LASCO_C2.png"');
    expect(await response.text()).toBe(shown);
    await settle();
  }
  expect(pictures.drawn).toBe(2);
  expect(derivedKeys(archive)).toEqual([
    expect.stringMatching(new RegExp(`^derived/screenshots/v${RENDER_VERSION}/[0-9a-f]{32}\\.png$`)),
  ]);
  const part = await get(file, { headers: { Range: 'bytes=0-2' } });
  expect([part.status, await part.text()]).toEqual([206, 'PNG']);
});

it('downloadScreenshot renders an expired file again from the same images and recipe', async ({ archive }) => {
  const { get, objects, index, pictures, settle } = archive;
  const query = `${WHEN}&layers=[10,1,100,2,1,1,2024-01-01T00:00:00Z],[4,1,50]`;
  const file = await takenFile(archive, `${query}&${FIELD}&watermark=false&switchSources=1`);
  const first = await get(file);
  const [tag, shown] = [first.headers.get('ETag'), await first.text()];
  expect(shown).toContain('26-26,20');
  const [key = ''] = derivedKeys(archive);
  await settle();
  objects.objects.delete(key);
  archive.cache.entries.clear();
  const late = {
    ...index.images.find(({ id }) => id === 26)!,
    id: 90,
    takenAtMs: Date.parse('2024-01-01T00:00:09Z'),
    fileName: 'late.jp2',
  };
  index.images.push(late);
  index.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
  const again = await get(file);
  expect([again.headers.get('ETag'), await again.text()]).toEqual([tag, shown]);
  expect([pictures.drawn, objects.objects.has(key)]).toEqual([2, true]);
});

it('downloadScreenshot does not store a file that is rendered while an event source fails', async () => {
  const state = { source: 'HEK', ageSeconds: null, loadedAtMs: null, missing: [], skipped: 0, isCut: false } as const;
  let isFailing = true;
  const markers = {
    markers: async () => ({ sources: [{ ...state, state: isFailing ? ('failed' as const) : ('ok' as const) }] }),
  };
  const archive = testArchive({ markers });
  const { get, cachedKeys, settle } = archive;
  const file = await takenFile(archive, `${GOOD}&events=[AR,all,1]`);
  const incomplete = await get(file);
  expect([incomplete.status, incomplete.headers.get('X-Events-Sources'), incomplete.headers.get('Cache-Control')]).toEqual([
    200,
    'HEK=failed',
    'no-store',
  ]);
  await settle();
  expect([derivedKeys(archive), cachedKeys()]).toEqual([[], []]);
  isFailing = false;
  const complete = await get(file);
  expect(complete.headers.get('X-Events-Sources')).toBe('HEK=ok');
  expect(complete.headers.get('Cache-Control')).toBe('public, max-age=86400');
  expect(derivedKeys(archive)).toHaveLength(1);
});

it('downloadScreenshot returns 404 for an unknown id', async () => {
  const response = await testArchive().get('/v2/downloadScreenshot/?id=77');
  const error = 'No screenshot has the id 77. Screenshots expire 180 days after they were taken.';
  expect([response.status, await response.json()]).toMatchObject([404, { errno: 24, parameter: 'id', error }]);
});

describe('getEclipseImage', () => {
  it('returns the newest image of LASCO C2 in grey with a moon, cached for a minute and without a row', async ({ archive }) => {
    const { get, settle, pictures } = archive;
    const response = await get('/v2/getEclipseImage/');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60');
    expect(response.headers.get('X-Layer-Images')).toMatch(/^LASCO C2 2024-01-01T06:00:00.000Z -\d+$/);
    const shown = await response.text();
    expect(shown).toMatch(/^PNG 20 .*"region":\[-6000,-6000,6000,6000\],"imageScale":15,"colour":"false"/);
    expect(shown).toContain('{"moon":true,"timeSuffix":"UTC"}');
    await settle();
    const again = await get('/v2/getEclipseImage/?moon=1');
    expect([await again.text(), again.headers.get('X-Layers-Far'), pictures.drawn]).toEqual([shown, 'LASCO C2', 1]);
    expect(await (await get('/v2/getEclipseImage/?moon=false')).text()).toContain('{"moon":false');
    expect(await rowsOf(archive)).toEqual([]);
  });

  it('returns 404 without images', async ({ archive }) => {
    archive.index.images.splice(0);
    expect(await answered(archive.get('/v2/getEclipseImage/'))).toMatchObject([404, { errno: 10 }]);
  });
});

it('a screenshot serves a changed file once the edge cache has lost the one before', async ({ archive }) => {
  const url = await takenFile(archive);
  const first = await (await archive.get(url)).text();
  await archive.settle();
  const key = [...archive.objects.objects.keys()].find((name) => name.includes('screenshots')) as string;
  archive.objects.objects.set(key, new TextEncoder().encode(`${first} drawn again`));
  archive.cache.entries.clear();
  const again = await archive.get(url);
  expect(await again.text()).toBe(`${first} drawn again`);
  expect(again.headers.get('Content-Length')).toBe(String(`${first} drawn again`.length));
});
