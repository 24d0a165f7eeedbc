import { expect, it } from 'vitest';
import { operations } from '../../src/faces/operations.ts';
import { movieDimensions, playbackRate } from '../../src/movies/movie-plan.ts';
import { movieAddress, movieRecipeString, type RequestedMovie } from '../../src/movies/movie-recipe.ts';
import { addressIn, viewOf } from '../../src/picture/address/address-in.ts';
import { pngNote } from '../../src/picture/encode/notes.ts';
import { indexedPng } from '../../src/picture/encode/png.ts';
import { webp } from '../../src/picture/encode/webp.ts';
import { recipeString, screenshotAddress } from '../../src/picture/recipe.ts';
import { allSources } from '../../src/sun/catalogue/sources.ts';
import { PROVENANCE_BYTES, provenanceText } from '../../src/sun/provenance.ts';
import { hasDwebp, readWebp } from '../support/imaging/picture-tools.ts';
import { readPng } from '../support/imaging/read-png.ts';

const image = (id: number, sourceId = 10) => ({ id, sourceId, sha256: String(id).padStart(64, '0') });
/** The canonical parameters of an address. */
const callOf = (address: string) => {
  const { pathname, searchParams } = new URL(address, 'http://sun.test');
  return operations.get(pathname.split('/')[2]!)!.call('v2', new Map([...searchParams].map(([name, text]) => [name, [text]])));
};

it('the provenance of a picture names two images one by one, more by one hash of their list, and each credit once', async () => {
  const two = await provenanceText('/v2/a/?b=1', [image(1), image(2, 11), image(1)]);
  expect(two.split('\n')).toEqual([
    'Address: /v2/a/?b=1',
    `Images: 1 sha256:${image(1).sha256}, 2 sha256:${image(2).sha256}`,
    'Software: helioedge 0.1.0',
    'Credit: Courtesy of NASA/SDO and the AIA, EVE, and HMI science teams.',
    'Citation: Lemen et al. 2012, doi:10.1007/s11207-011-9776-8',
  ]);
  const many = async (ids: number[]) =>
    (
      await provenanceText(
        '/v2/a/',
        ids.map((id) => image(id)),
      )
    ).split('\n')[1];
  expect(await many([1, 2, 3])).toMatch(/^Images: 3 with 1, sha256 of their list:[0-9a-f]{64}$/);
  expect(await many([1, 2, 3])).not.toBe(await many([1, 2, 4]));
});

it('the provenance of a picture stays within its bytes, and leaves out what does not fit', async () => {
  const long = await provenanceText(`/v2/a/?b=${'c'.repeat(PROVENANCE_BYTES)}`, [image(1), image(2, 4)]);
  expect(long).toMatch(/^Images: /);
  expect(long).toContain('SOHO/LASCO (ESA & NASA)');
  expect(new TextEncoder().encode(long).length).toBeLessThanOrEqual(PROVENANCE_BYTES);
});

it('the provenance of a picture credits the mission of each of the datasources, and opens its view', () => {
  expect(allSources.filter(({ credit }) => credit.line === '' || credit.rules === '')).toEqual([]);
  expect(new Set(allSources.map(({ credit }) => credit.line)).size).toBeGreaterThan(14);
  const shot =
    '/v2/takeScreenshot/?date=2024-05-10T12:00:00.000Z&imageScale=2.4&layers=[10,1,100]&x1=-10&y1=-20&x2=30&y2=40&ranges=[20,200]&display=true';
  expect(viewOf(shot)).toBe(
    '/?date=2024-05-10T12:00:00.000Z&imageLayers=[10,1,100]&centerX=10&centerY=10&imageScale=2.4&ranges=[20,200]',
  );
  expect(viewOf('/v2/getLightCurve/?sourceId=10&startTime=2024-05-10T12:00:00.000Z&statistics=mean')).toBe(
    '/?date=2024-05-10T12:00:00.000Z&imageLayers=[10,1,100]',
  );
  expect(viewOf('//elsewhere.test/?date=1')).toBeNull();
  expect(addressIn(new TextEncoder().encode('nothing'))).toBeNull();
});

it('the provenance of a picture gives the recipe of a picture with events, overlays and operations again', async () => {
  const state = { tree_HEK: { labels_visible: true, layers: [{ event_type: 'AR', frms: ['all'], event_instances: [] }] } };
  const address = `/v2/postScreenshot/?date=2024-05-10T12:00:00Z&imageScale=2.4&layers=[10,1,100,2,60,1,2024-05-10T11:00:00Z],[4,1,50]&x1=-10&y1=-20&x2=900&y2=40.5&scale=true&scaleType=scalebar&scaleX=3&scaleY=4&grid=true&watermark=false&colour=false&switchSources=true&display=true&eventsState=${encodeURIComponent(JSON.stringify(state))}`;
  const recipes: string[] = [];
  const screenshots = {
    show: async (recipe: never) => {
      recipes.push(recipeString(recipe));
      throw Object.assign(new Error(), { address: screenshotAddress(recipe, {}) });
    },
  };
  const again = async (from: string) =>
    callOf(from)
      .handle({ services: { screenshots, settings: {}, projections: { check: async () => undefined } } } as never)
      .catch(({ address }) => address as string);
  const first = (await again(address)) as string;
  expect(await again(first)).toBe(first);
  expect(recipes[1]).toBe(recipes[0]);
  expect(recipes[0]).toContain('tree_HEK');
});

const EVENTS = JSON.stringify({ tree_HEK: { labels_visible: true, layers: [{ event_type: 'AR', frms: ['all'] }] } });

it.each([
  ['queueMovie', 'maxFrames=77&frameRate=12'],
  ['queueMovie', 'size=2&frameRate=7.5&grid=true&ranges=[],[20,200]'],
  ['queueMovie', 'size=4&followViewport=true&reqObservationDate=2024-05-10T13:00:00Z&maxFrames=300'],
  ['queueMovie', 'projection=sphere,0,0;sphere,30,10&switchSources=true'],
  ['postMovie', `eventsState=${encodeURIComponent(EVENTS)}&filters=[rhef],[]`],
])('the address of a movie queues it again in %s: %s', async (operation, parameters) => {
  const movies = { queue: (requested: RequestedMovie) => Promise.reject(Object.assign(new Error(), { requested })) };
  const again = async (address: string) => {
    const { requested } = (await callOf(address)
      .handle({ services: { movies } } as never)
      .catch((error) => error)) as { requested: RequestedMovie };
    const { scene, size, playback, maxFrames } = requested;
    const { frame, overlayMagnification } = movieDimensions(scene, size);
    const recipe = { ...requested, scene: { ...scene, ...frame }, overlayMagnification, ...playbackRate(playback, 100) };
    return { text: movieRecipeString(recipe), address: movieAddress(recipe, maxFrames), maxFrames };
  };
  const range = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T18:00:00Z&layers=[11,1,100],[4,1,60]';
  const first = await again(`/v2/${operation}/?${range}&imageScale=2.4&x1=-99&y1=-100&x2=800&y2=440.5&${parameters}`);
  expect(await again(first.address)).toEqual(first);
  expect(first.address).toContain(`/v2/${operation}/?startTime=2024-05-10T12:00:00.000Z&`);
  expect(viewOf(first.address)).toContain('/?date=2024-05-10T12:00:00.000Z&imageLayers=[11,1,100],[4,1,60]&centerX=35');
});

const pixels = Uint8Array.from({ length: 30 * 20 }, (_, i) => i % 250);
const encoded = async (encoder: ReturnType<typeof webp>, note?: string) => {
  await encoder.write(pixels, 20);
  return encoder.finish(note);
};

it('a note leaves the pixels of PNG as they are', async () => {
  const file = await encoded(indexedPng(30, 20, null));
  const noted = await encoded(indexedPng(30, 20, null), 'Address: /x');
  expect(readPng(noted).rgba).toEqual(readPng(file).rgba);
  expect(noted).toEqual(pngNote(file, 'Address: /x'));
});

it.skipIf(!hasDwebp)('a note leaves the pixels of WebP as they are, transparent ones too', async () => {
  for (const transparent of [undefined, 7]) {
    const file = await encoded(webp(30, 20, null, transparent));
    const noted = await encoded(webp(30, 20, null, transparent), 'Address: /x?a=1&b=2');
    expect(readWebp(noted)).toEqual(readWebp(file));
    expect(addressIn(noted)).toBe('/x?a=1&b=2');
  }
});
