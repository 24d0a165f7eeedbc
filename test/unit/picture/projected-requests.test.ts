// The parameter `projection` of screenshots and movies: what is stored of it, and what is refused with what is possible.
import { expect, it } from 'vitest';
import { ProjectionCheck, viewpointOf } from '../../../src/archive/drawing/projection-check.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { frameRecipe, type MovieRequest, movieRecipeString, parseMovieRequest } from '../../../src/movies/movie-recipe.ts';
import { parseRecipeString, recipeFromScreenshotParameters, screenshotAddress } from '../../../src/picture/recipe.ts';
import { solarSystemOf } from '../../../src/sun/bodies/solar-system.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { IMAGES } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

const GOOD = 'date=2024-01-01T00:00:10Z&imageScale=2.4&layers=[10,1,100]&x1=-960&y1=-480&x2=960&y2=480';

async function taken(query: string) {
  const archive = testArchive();
  const response = await archive.get(`/v2/takeScreenshot/?${query}`);
  const row = await archive.services.databases.main.prepare('SELECT recipe FROM screenshots').first<{ recipe: string }>();
  return { status: response.status, body: (await response.json()) as object, recipe: row?.recipe };
}

it('a screenshot with a projection keeps it at the end of its recipe and in the address of its provenance, and nothing for the plane', async () => {
  const { status, recipe } = await taken(`${GOOD}&projection=Radial,0.50`);
  expect(status).toBe(200);
  expect(recipe).toMatch(/,"projection":"radial,0.5"\}$/);
  expect(screenshotAddress(parseRecipeString(recipe!), {})).toContain('&projection=radial,0.5&');
  expect((await taken(`${GOOD}&projection=plane`)).recipe).toBe((await taken(GOOD)).recipe);
});

it.each([
  ['sphere,0,0;sphere,1,1', /got sphere,0,0;sphere,1,1\.$|got 0;sphere/],
  [
    'observer,solo',
    /^Expected an observer with an ephemeris at 2024-01-01T00:00:10.000Z \(mercury, venus, earth, .*\) for projection, got solo\.$/,
  ],
])('a screenshot with a projection refuses %s with what is possible', async (projection, sentence) => {
  const { status, body } = await taken(`${GOOD}&projection=${projection}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: expect.stringMatching(sentence) });
});

const checked = async (projection: string, hasPlace: boolean, open = async (image: ArchivedImage) => ({ image }) as never) => {
  const check = new ProjectionCheck({
    index: new MemoryImageIndex(IMAGES),
    reader: { open, origin: async () => ({ hasPlace }) as never },
    stateTables: { solarSystem: async () => solarSystemOf() },
  });
  const date = IMAGES.find(({ sourceId }) => sourceId === 10)!.takenAtMs;
  const { recipe } = recipeFromScreenshotParameters({
    date,
    imageScale: 4,
    layers: '[10,1,100]',
    x0: 0,
    y0: 0,
    width: 9,
    height: 9,
    projection,
  });
  return check.check(recipe, recipe.atMs);
};

it('the check of a projection refuses the surface for a source whose headers name no place, and takes what needs none', async () => {
  await expect(checked('sphere,0,0', false)).rejects.toThrow(
    'Expected plane, unwrapped or radial,0 for SDO AIA 171, whose headers do not state coordinates and the place of the observer, for projection, got sphere,0,0.',
  );
  await expect(checked('radial,0', false)).resolves.toBeUndefined();
  await expect(checked('observer,mars', true)).resolves.toBeUndefined();
});

it('the check of a projection reports an image that cannot be opened as damaged', async () => {
  const damaged = () => Promise.reject(new Jp2Error('malformed', 'A box is cut short.'));
  await expect(checked('sphere,0,0', true, damaged)).rejects.toMatchObject({ kind: 'damaged-image' });
});

it('the check of a projection places the Earth on its meridian, and Mars where it was at the opposition of January 2025', () => {
  const earth = viewpointOf(solarSystemOf(), 'earth', Date.UTC(2024, 8, 8));
  expect(earth.longitude).toBeCloseTo(0, 9);
  expect(earth.latitude).toBeCloseTo(7.25, 1);
  expect(viewpointOf(solarSystemOf(), 'mars', Date.UTC(2025, 0, 16, 3)).longitude).toBeCloseTo(0, 0);
});

const request = (projection: string, followViewport = false) =>
  parseMovieRequest({
    startTime: Date.UTC(2024, 0, 1),
    endTime: Date.UTC(2024, 0, 3),
    imageScale: 4,
    layers: '[10,1,100]',
    projection,
    followViewport,
  } as MovieRequest);
const movieOf = (projection: string, followViewport = false) => {
  const { scene, startMs, endMs } = request(projection, followViewport);
  return { scene, startMs, endMs, followViewport, viewedAtMs: null, size: 0, overlayMagnification: 1, frameRate: 12 } as const;
};

it('a movie with a projection turns from its first to its last frame', () => {
  const movie = movieOf('sphere,0,0;sphere,90,0');
  expect(movieRecipeString(movie)).toContain('"projection":"sphere,0,0;sphere,90,0"');
  const halfway = frameRecipe(movie, Date.UTC(2024, 0, 2), movie.startMs).projection as { longitude: number };
  expect(halfway.longitude).toBeCloseTo(45, 6);
});

it('a movie with a projection follows a place on the rotating Sun, whose equator moves by 13.2 degrees a day', () => {
  const movie = movieOf('sphere,10,0', true);
  const later = frameRecipe(movie, Date.UTC(2024, 0, 2), movie.startMs);
  expect((later.projection as { longitude: number }).longitude).toBeCloseTo(23.3, 0);
  expect(later.region).toEqual(movie.scene.region);
});
