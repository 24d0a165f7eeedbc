// Projections of the explorer: places on the screen against spherical trigonometry, with pictures whose spots and observers the test states.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Placed } from '../../../src/explorer/api/image-record.ts';
import { greyJpeg } from '../../../src/picture/encode/jpeg.ts';
import { indexedPng } from '../../../src/picture/encode/png.ts';
import type { FrameDescription } from '../../../src/picture/moving-frame.ts';
import { UNCHANGED } from '../../../src/picture/operations/difference.ts';
import { earthObserver } from '../../../src/sun/coordinates/observer.ts';
import { explorerPages, sharedPages } from '../../support/browser/explorer-pages.ts';
import { drag, openPicture, openTool, playNoted, touch } from '../../support/explorer/acts.ts';
import { axeViolations, boxOf, parameters, requested, settled } from '../../support/explorer/looks.ts';
import { PATIENCE, PHONE } from '../../support/explorer/views.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { AU_METRES, type Place, RADIANS, RADIUS, RADIUS_METRES, seen } from '../../support/imaging/seen.ts';
import { centroid } from '../../support/imaging/spot-image.ts';
import { encodeInStrips } from '../../support/imaging/strips.ts';

const { served, pages } = sharedPages('noon');

const AIA = 'date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]';
const NOON = Date.UTC(2024, 4, 10, 12);

/** The observer of the pictures of the test: aside of the Earth. */
const OBSERVER = { distance: 205, latitude: 4, longitude: -25 };
const TILE = 512;

/** The light of a picture at arcseconds from the centre of the Sun as seen from 1 au, y down. */
type Light = (x: number, y: number) => number;

/** A frame whose description names the observer of the test. */
async function describedFrame(further: Partial<FrameDescription>): Promise<Buffer> {
  const side = 16;
  const description: FrameDescription = {
    imageScale: 100,
    sun: { x: side / 2, y: side / 2 },
    observer: OBSERVER,
    colours: null,
    ring: null,
    isBlackTransparent: false,
    ...further,
  };
  const encoder = greyJpeg(side, side, 95);
  await encoder.write(new Uint8Array(side * side), side, async () => undefined);
  return Buffer.from(await encoder.finish(JSON.stringify(description)));
}

const closest = async () => {
  const response = await fetch(`${served.service.url}/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z`);
  return (await response.json()) as Placed & { readonly id: number; readonly date: string };
};

const greyPng = async (width: number, height: number, pixels: Uint8Array): Promise<Buffer> =>
  Buffer.from(await encodeInStrips(indexedPng(width, height, null), { width, height, bytesPerPixel: 1, pixels }, [height]));

/** A tile with this light, whose grid is that of an image. */
function tileOf(light: Light, { scale, width, height, refPixelX, refPixelY }: Placed, query: URLSearchParams): Promise<Buffer> {
  const [x0, y0, step] = ['x', 'y', 'imageScale'].map((name) => Number(query.get(name))) as [number, number, number];
  const [left, top] = [(width / 2 - (refPixelX - 0.5)) * scale, (height / 2 - (height - refPixelY + 0.5)) * scale];
  const indexes = Uint8Array.from({ length: TILE * TILE }, (_, i) =>
    light(left + (x0 * TILE + (i % TILE) + 0.5) * step, top + (y0 * TILE + Math.floor(i / TILE) + 0.5) * step),
  );
  return greyPng(TILE, TILE, indexes);
}

/** A spot of light at a place, as the observer of the pictures sees it. */
function spotAt(place: Place): Light {
  const at = seen(OBSERVER, place, OBSERVER.distance);
  return (x, y) => 250 * Math.exp(-((x - at.x) ** 2 + (y - at.y) ** 2) / (2 * 6 ** 2));
}

/** Opens an address whose pictures have this light. */
async function openWith(light: Light, query: string, further: Partial<FrameDescription> = {}): Promise<Page> {
  const image = await closest();
  const page = await pages.empty();
  const body = await describedFrame(further);
  await page.route('**/v2/getFrame/**', (route) => route.fulfill({ contentType: 'image/jpeg', body }));
  await page.route('**/v2/getTile/**', async (route) =>
    route.fulfill({ contentType: 'image/png', body: await tileOf(light, image, new URL(route.request().url()).searchParams) }),
  );
  return pages.open(`/?${AIA}&${query}`);
}

/** Half of the side of what is measured, pixels. */
const REACH = 40;

/** Mean place of the light around the middle of the picture, pixels from it. */
async function lightAround(page: Page): Promise<{ x: number; y: number }> {
  const box = await boxOf(page);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const corner = { x: Math.round(middle.x - REACH), y: Math.round(middle.y - REACH) };
  const { width, height, rgba } = readPng(await page.screenshot({ clip: { ...corner, width: 2 * REACH, height: 2 * REACH } }));
  const light = (i: number) => (rgba[4 * i]! > 40 ? rgba[4 * i]! : 0);
  const { x, y } = centroid(width, width * height, light);
  return { x: corner.x + x - middle.x, y: corner.y + y - middle.y };
}

/** Solar radii from the observer of the image to the Sun. */
async function distance(): Promise<number> {
  const xml = await (await fetch(`${served.service.url}/v2/getJP2Header/?id=${(await closest()).id}`)).text();
  return Number(/<DSUN_OBS>([^<]+)</.exec(xml)![1]) / RADIUS_METRES;
}

const view = (at: { x: number; y: number }) => `centerX=${at.x.toFixed(2)}&centerY=${at.y.toFixed(2)}&imageScale=1`;

it.each([
  ['as its observer sees it', OBSERVER, { latitude: 18, longitude: -10 }],
  ['by 30 degrees', { latitude: 4, longitude: 5 }, { latitude: 18, longitude: -10 }],
  ['by 60 degrees', { latitude: -6, longitude: 35 }, { latitude: -22, longitude: 12 }],
  ['to the north', { latitude: 64, longitude: -25 }, { latitude: 40, longitude: -40 }],
])('a turned sphere shows a place within an arcsecond of spherical trigonometry %s', async (_, above, place) => {
  const away = await distance();
  const expected = seen(above, place, away);
  const page = await openWith(spotAt(place), `projection=sphere,${above.longitude},${above.latitude}&${view(expected)}`);
  // The address has two decimals of the centre.
  const { x, y } = await lightAround(page);
  expect(Math.hypot(x, y)).toBeLessThan(1);
});

it('a turned sphere reads out the place that is below the pointer', async () => {
  const place = { latitude: 12, longitude: 20 };
  const above = { latitude: 0, longitude: 30 };
  const away = await distance();
  const page = await openWith(() => 90, `projection=sphere,30,0&${view(seen(above, place, away))}`);
  await openTool(page, 'measure');
  const box = await boxOf(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => page.textContent('#readout dd:nth-of-type(2)')).toMatch(/^(19\.9|20\.0)\d°, (11\.9|12\.0)\d°$/);
});

it.each(['plane', 'sphere,30,0'])('the caption of the %s says that the roll of an image is not verified', async (projection) => {
  const page = await openWith(() => 90, `projection=${projection}`, { isRollUnverified: true });
  expect(await page.textContent('#caption')).toMatch(/UTC.* roll not verified$/);
});

it('a turned sphere turns by keys and drags, states it in the address, and returns by a double click', async () => {
  const page = await openWith(() => 90, 'projection=sphere,0,0');
  const turnedTo = () => parameters(page).get('projection');
  await page.focus('#view');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  await expect.poll(turnedTo).toBe('sphere,5,5');
  const box = await boxOf(page);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await drag(page, [middle.x, middle.y], [middle.x + 100, middle.y]);
  await expect.poll(turnedTo).toMatch(/^sphere,-\d+(\.\d)?,5$/);
  await page.mouse.dblclick(middle.x, middle.y);
  await expect.poll(turnedTo).toMatch(/^sphere,0,-?\d(\.\d)?$/);
  await expect.poll(turnedTo).not.toBe('sphere,0,5');
});

/** A map of the whole Sun, 180 degrees of Carrington longitude in its middle, with a spot at a place. */
function mapWith({ latitude, longitude }: Place): Promise<Buffer> {
  const [width, height] = [720, 360];
  const column = ((((longitude + earthObserver(NOON).l0Degrees) % 360) + 360) % 360) * 2;
  const indexes = Uint8Array.from({ length: width * height }, (_, i) => {
    const x = (((i % width) + 0.5 - column + 1.5 * width) % width) - width / 2;
    const y = Math.floor(i / width) + 0.5 - (90 - latitude) * 2;
    return 250 * Math.exp(-(x * x + y * y) / 8);
  });
  return greyPng(width, height, indexes);
}

describe('the map of the last 27 days', () => {
  const failing = explorerPages(served, { mayLogErrors: true });

  it.each([
    ['sphere,155,-4', { latitude: -3, longitude: 157 }],
    ['sphere,-25,64', { latitude: 78, longitude: 155 }],
  ])(
    'shows a place that no image has within an arcsecond of spherical trigonometry, at a second attempt too: %s',
    async (above, place) => {
      const [, longitude, latitude] = above.split(',').map(Number) as [number, number, number];
      const page = await failing.empty();
      const asked: string[] = [];
      await page.route('**/v2/getSolarMap/**', async (route) => {
        asked.push(route.request().url().split('?')[1]!);
        return route.fulfill(asked.length > 1 ? { contentType: 'image/png', body: await mapWith(place) } : { status: 503 });
      });
      const at = seen({ longitude, latitude }, place, await distance());
      await failing.open(`/?${AIA}&projection=${above}&map=true&${view(at)}`);
      await page.click('.notice.trouble button');
      const isThere = async () => Object.values(await lightAround(page)).every((off) => Math.abs(off) < 1);
      await expect.poll(isThere, PATIENCE).toBe(true);
      expect(new Set(asked)).toEqual(new Set(['sourceId=10&date=2024-05-11T00:00:00Z']));
    },
  );

  it('takes all shown sources of one line, as AIA 193 and EUVI 195', async () => {
    const page = await failing.empty();
    await page.route('**/v2/getDataSources/**', async (route) => {
      const response = await route.fetch();
      const tree = await response.json();
      const euvi = { ...tree.SDO.AIA[193], sourceId: 21, nickname: 'EUVI-A 195' };
      await route.fulfill({ response, json: { ...tree, STEREO_A: { SECCHI: { EUVI: { 195: euvi } } } } });
    });
    const asked = requested(page, /getSolarMap/);
    await page.route('**/v2/getSolarMap/**', async (route) =>
      route.fulfill({ contentType: 'image/png', body: await mapWith(OBSERVER) }),
    );
    await failing.open('/?date=2024-05-10T12:00:00Z&imageLayers=[11,1,100],[10,1,100],[21,1,100]&projection=sphere,0,0&map=true');
    await expect.poll(() => asked.map((url) => url.split('?')[1])).toEqual(['sourceId=21,11&date=2024-05-11T00:00:00Z']);
  });

  it('lies below images that see a place well, and leaves the picture as it was', async () => {
    const page = await pages.empty();
    const [width, height] = [720, 360];
    const indexes = new Uint8Array(width * height).fill(250);
    const body = await greyPng(width, height, indexes);
    await page.route('**/v2/getSolarMap/**', (route) => route.fulfill({ contentType: 'image/png', body }));
    // The middle is 50 degrees from the observer of the images, and the place that none of them sees 120.
    const above = { longitude: 25, latitude: 4 };
    const unseen = seen(above, { longitude: 95, latitude: 0 }, await distance());
    const scale = 8;
    await openWith(() => 200, `projection=sphere,25,4&map=true&centerX=0&centerY=0&imageScale=${scale}`);
    await openTool(page, 'layers');
    const note = 'Pictures of the service are without this map.';
    await page.getByText(note).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const around = async (at: { x: number; y: number }) => {
      const { x, y, width, height } = await boxOf(page);
      const [left, top] = [x + width / 2 + at.x / scale, y + height / 2 + at.y / scale].map((middle) => Math.round(middle) - 3);
      return page.screenshot({ clip: { x: left!, y: top!, width: 6, height: 6 } });
    };
    const levelOfUnseen = async () => readPng(await around(unseen)).rgba[0]!;
    await expect.poll(levelOfUnseen, PATIENCE).toBeGreaterThan(200);
    const covered = await around({ x: 0, y: 0 });
    await openTool(page, 'make');
    await openPicture(page);
    await page.selectOption('#picture-size', 'hd');
    await page.locator('#picture').getByText(note).waitFor();
    await page.keyboard.press('Escape');
    await openTool(page, 'layers');
    await page.getByLabel('Map of the last 27 days').uncheck();
    await expect.poll(() => parameters(page).has('map')).toBe(false);
    await expect.poll(levelOfUnseen).toBeLessThan(40);
    expect((await around({ x: 0, y: 0 })).equals(covered)).toBe(true);
  });
});

/** Screen planes: the place of a longitude and a latitude, arcseconds, y down. `l0`: Carrington longitude of the Earth's meridian. */
const PLANES = {
  'sphere,-20,5': (place: Place, distance: number) => seen({ longitude: -20, latitude: 5 }, place, distance),
  carrington: ({ longitude, latitude }: Place, _: number, l0: number) => ({
    x: RADIUS * ((((longitude + l0 + 720) % 360) - 180) * RADIANS),
    y: -RADIUS * latitude * RADIANS,
  }),
  cea: ({ longitude, latitude }: Place, _: number, l0: number) => ({
    x: RADIUS * ((((longitude + l0 + 720) % 360) - 180) * RADIANS),
    y: -RADIUS * Math.sin(latitude * RADIANS),
  }),
  'polar,north': ({ longitude, latitude }: Place) => ({
    x: RADIUS * (90 - latitude) * RADIANS * Math.sin(longitude * RADIANS),
    y: RADIUS * (90 - latitude) * RADIANS * Math.cos(longitude * RADIANS),
  }),
} as const;

it.each(Object.keys(PLANES) as (keyof typeof PLANES)[])('a ruler measures 20 degrees on the Sun in %s', async (projection) => {
  const [from, to] = [
    { longitude: -25, latitude: 2 },
    { longitude: -25, latitude: 22 },
  ];
  const { date } = await closest();
  const { l0Degrees } = earthObserver(Date.parse(`${date.replace(' ', 'T')}Z`));
  const away = await distance();
  const places = [from!, to!].map((place) => PLANES[projection](place, away, l0Degrees));
  const middle = { x: (places[0]!.x + places[1]!.x) / 2, y: (places[0]!.y + places[1]!.y) / 2 };
  const page = await openWith(() => 90, `projection=${projection}&${view(middle)}`);
  await openTool(page, 'measure');
  await page.getByLabel('Ruler').check();
  const box = await boxOf(page);
  const pixel = (at: { x: number; y: number }) =>
    [box.x + box.width / 2 + at.x - middle.x, box.y + box.height / 2 + at.y - middle.y] as const;
  await drag(page, [...pixel(places[0]!)], [...pixel(places[1]!)]);
  await expect.poll(() => page.textContent('#ruler')).toMatch(/^(19\.[89]|20\.[01])\d° · 24[123]\.\d Mm$/);
  expect(await page.locator('.ruler line').count()).toBe(1);
});

it('a region that is drawn on a turned sphere is where it is on the Sun', async () => {
  const away = await distance();
  const page = await openWith(() => 90, `projection=sphere,-20,5&${view({ x: 0, y: 0 })}`);
  await openTool(page, 'measure');
  await page.selectOption('#task', 'region');
  await page.click('#sketch');
  const corners = [-30, -10].map((longitude, i) => ({ longitude, latitude: 15 - 20 * i }));
  const { x, y, width, height } = await boxOf(page);
  const pixels = corners.map((place) => seen({ longitude: -20, latitude: 5 }, place, away));
  const [from, to] = pixels.map((at) => [x + width / 2 + at.x, y + height / 2 + at.y] as [number, number]);
  await drag(page, from!, to!);
  const earth = { longitude: 0, latitude: earthObserver(NOON).b0Degrees };
  const [a, b] = corners.map((place) => seen(earth, place, away)) as [{ x: number; y: number }, { x: number; y: number }];
  // As the Earth saw it, farther than 1 au.
  const expected = { x: (a.x + b.x) / 2, y: -(a.y + b.y) / 2, width: b.x - a.x, height: b.y - a.y };
  for (const [name, arcsec] of Object.entries(expected)) {
    const apparent = (arcsec * AU_METRES) / RADIUS_METRES / away;
    expect(Math.abs(Number(await page.inputValue(`#measured-${name}`)) - apparent), name).toBeLessThan(2);
  }
});

it('the unwrapped limb runs as a straight line, with its position angles from left to right', async () => {
  const page = await openWith(
    (x, y) => 200 * Math.min(Math.max((RADIUS - Math.hypot(x, y)) / 40 + 0.5, 0), 1),
    'projection=unwrapped&centerX=0&centerY=-959&imageScale=4',
  );
  const box = await boxOf(page);
  const clip = { x: Math.round(box.x + 100), y: Math.round(box.y + box.height / 2 - 60), width: 1_000, height: 120 };
  const { width, height, rgba } = readPng(await page.screenshot({ clip }));
  const edges = Array.from({ length: width }, (_, x) => {
    let dark = 0;
    while (dark < height && rgba[4 * (dark * width + x)]! < 100) dark += 1;
    return dark;
  }).filter((_, x) => x % 50 === 0);
  expect(Math.max(...edges) - Math.min(...edges)).toBeLessThanOrEqual(1);
  expect(edges[0]).toBeGreaterThan(50);
  expect(edges[0]).toBeLessThan(70);
});

describe('the choice of a projection', () => {
  it('follows keys, stays while pictures play, and ends with the plane as it was', async () => {
    const page = await pages.openTool('layers', `/?${AIA}&grid=true`);
    await page.focus('#projection');
    await page.selectOption('#projection', 'polar,north');
    await expect.poll(() => parameters(page).get('projection')).toBe('polar,north');
    await settled(page);
    await page.selectOption('#projection', 'sphere');
    await page.waitForSelector('#turned');
    await settled(page);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    const captions = await playNoted(page);
    await expect.poll(captions, PATIENCE).toContain('12:02:');
    await page.click('#play');
    await settled(page);
    await page.selectOption('#projection', 'plane');
    await expect.poll(() => parameters(page).has('projection')).toBe(false);
    await settled(page);
    expect(await page.locator('#view canvas').count()).toBe(1);
    expect(await page.getAttribute('#view', 'data-moving')).toBe('false');
  });

  it('works on a phone, whose finger turns the sphere', async () => {
    const page = await pages.openTool('layers', `/?${AIA}`, PHONE);
    await page.selectOption('#projection', 'sphere');
    await page.waitForSelector('#turned');
    await page.click('.panel-head button');
    const before = parameters(page).get('projection');
    const box = await boxOf(page);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await touch(page, ...[0, 40, 60].map((by) => [{ ...at, x: at.x - by }]));
    await expect.poll(() => parameters(page).get('projection')).not.toBe(before);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('shows a place as Mars sees it, within an arcsecond of spherical trigonometry, and is left for another view', async () => {
    const bodies = await fetch(`${served.service.url}/v2/getSolarBodies/?time=${NOON}&observers=earth`);
    const { mars } = ((await bodies.json()) as { places: Record<string, Place & { distance_au: number }> }).places;
    const place = { latitude: 10, longitude: 40 };
    const at = view(seen(mars!, place, (mars!.distance_au * AU_METRES) / RADIUS_METRES));
    const page = await openWith(spotAt(place), `projection=observer,mars&${at}`);
    const { x, y } = await lightAround(page);
    expect(Math.hypot(x, y)).toBeLessThan(1);
    await openTool(page, 'layers');
    await page.waitForSelector('#projection option:has-text("As seen from Earth")', { state: 'attached' });
    expect(await page.textContent('#projection option:checked')).toBe('As seen from Mars');
    await expect.poll(() => page.textContent('#projection-title ~ .quiet')).toMatch(/107\.3°, latitude 5\.4° .* 1\.382 au/);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.selectOption('#projection', 'observer,earth');
    await expect.poll(() => parameters(page).get('projection')).toBe('observer,earth');
    await page.selectOption('#projection', 'carrington');
    await expect
      .poll(() => page.getAttribute('#month a >> nth=0', 'href'))
      .toBe('/v2/getSolarMap/?sourceId=10&date=2024-05-10T12:00:00Z&projection=car');
  });

  it('says that an observer has no ephemeris, and shows the plane', async () => {
    const page = await pages.open(`/?${AIA}&projection=observer,solo`);
    await expect
      .poll(() => page.textContent('.notices'))
      .toMatch(/no ephemeris for “observer,solo” at this time; the plane is shown/);
    expect(parameters(page).has('projection')).toBe(false);
  });

  it('says why the plane is shown without WebGL 2', async () => {
    const page = await pages.empty();
    await page.addInitScript(`
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
      };
    `);
    await pages.open(`/?${AIA}&projection=sphere,10,10`);
    await expect.poll(() => page.textContent('.notices')).toMatch(/no WebGL 2/);
    expect(await page.locator('#view .motion img').count()).toBe(1);
    await page.close();
  });

  it.each([
    ['a running difference', '1,1,1'],
    ['a base difference', '2,1,1,2024-05-10T12:00:30Z'],
    ['a base ratio', '3,1,1,2024-05-10T12:00:30Z'],
  ])('shows %s on a turned sphere, with both images in the same place', async (_, comparison) => {
    /** The mean distance of the middle of the picture from a level. */
    const spread = async (group: string, from: (mean: number) => number) => {
      const view = 'centerX=0&centerY=0&imageScale=4&projection=sphere,40,10';
      const page = await pages.open(`/?date=2024-05-10T12:02:00Z&imageLayers=[${group}]&${view}`);
      expect(parameters(page).get('projection')).toBe('sphere,40,10');
      const clip = { x: 500, y: 250, width: 200, height: 200 };
      const levels = readPng(await page.screenshot({ clip })).rgba.filter((_, i) => i % 4 === 0);
      await page.close();
      const mean = (of: (level: number) => number) => levels.reduce((sum, level) => sum + of(level), 0) / levels.length;
      const level = from(mean((one) => one));
      return mean((one) => Math.abs(one - level));
    };
    expect(await spread('10,1,100', (mean) => mean)).toBeGreaterThan(15);
    expect(await spread(`10,1,100,${comparison}`, () => UNCHANGED)).toBeLessThan(7);
  });
});

describe('a comparison', () => {
  const pages = explorerPages(served, { mayLogErrors: true });

  it('says that nothing can be compared where the archive has no older image', async () => {
    const page = await pages.empty();
    await page.goto(
      `${served.service.url}/?date=2024-05-10T12:02:00Z&imageLayers=[10,1,100,3,1,1,2001-01-01]&projection=sphere,0,0`,
    );
    await expect.poll(() => page.textContent('.notices')).toMatch(/could not be loaded/);
  });
});
