import { describe, expect, it } from 'vitest';
import { movieRecipeString } from '../../../src/movies/movie-recipe.ts';
import { MOVIE, movieArchive } from '../../support/movies/movie-archive.ts';

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** The canonical form of these events has 190,000 characters. */
const MANY_EVENTS = {
  tree_HEK: { labels_visible: true, layers: [], layers_v2: Array.from({ length: 2000 }, (_, i) => `HEK>>${'x'.repeat(80)}${i}`) },
};

describe('postMovie', () => {
  const body = {
    startTime: MOVIE.startTime,
    endTime: MOVIE.endTime,
    layers: MOVIE.layers,
    imageScale: 2.4,
    x0: 0,
    y0: 0,
    width: 800,
    height: 400,
  };
  const state = {
    tree_HEK: {
      labels_visible: true,
      layers: [{ event_type: 'AR', frms: ['SPoCA', 'NOAA_SWPC_Observer'], event_instances: [] }],
    },
    tree_CCMC: { labels_visible: false, layers: [{ event_type: 'FP', frms: [], event_instances: ['FP--AMOS--YWJjZGVm'] }] },
  };

  it.each(['eventsState', 'events'])('accepts the events as the object %s', async (name) => {
    const archive = movieArchive();
    const { body: queued } = await archive.json('/v2/postMovie/', posted({ ...body, [name]: state }));
    const verbose = await archive.json(`/v2/getMovieStatus/?id=${queued.id}&format=mp4&verbose=true`);
    expect(verbose.body).toMatchObject({
      events: '[AR,NOAA_SWPC_Observer;SPoCA,1],[FP,AMOS,1]',
      eventsState: {
        tree_HEK: { labels_visible: true },
        tree_CCMC: { labels_visible: false, layers: [{ event_type: 'FP', frms: [], event_instances: ['FP--AMOS--YWJjZGVm'] }] },
      },
    });
  });

  it.each<[string, object, string[], boolean]>([
    ['a tree', { eventsState: { tree_HEK: { layers_v2: ['HEK>>Flare>>SWPC'] } } }, ['HEK>>Flare>>SWPC'], true],
    [
      'paths',
      {
        event_selections: ['WSA>>Coronal Hole', 'HEK>>Flare>>SWPC'],
        event_visibility_selections: { HEK: { label_visibility: false }, WSA: { marker_visibility: false } },
      },
      ['WSA>>Coronal Hole', 'HEK>>Flare>>SWPC'],
      false,
    ],
  ])('keeps events by %s as they were sent, and draws what they show again after a requeue', async (_, given, paths, labels) => {
    const archive = movieArchive();
    const { body: queued } = await archive.json('/v2/postMovie/', posted({ ...body, ...given }));
    const shown = async () => (await archive.json(`/v2/getMovieStatus/?id=${queued.id}&format=mp4&verbose=true`)).body;
    const first = await shown();
    expect(first).toMatchObject({ event_selections: paths, event_visibility_selections: { HEK: { label_visibility: labels } } });
    await archive.build();
    archive.expire();
    expect((await archive.json(`/v2/reQueueMovie/?id=${queued.id}&force=true`)).status).toBe(200);
    const { build } = await archive.claim();
    expect(build.recipe.scene.events).toMatchObject([{ source: 'HEK', labels, paths: [['Flare', 'SWPC']] }]);
    const { event_selections: selections, event_visibility_selections: visibility } = await shown();
    expect([selections, visibility]).toEqual([first.event_selections, first.event_visibility_selections]);
  });

  it.each([{}, { eventsState: {} }, { scale: true, scaleType: 'disabled' }])('needs no events: %j', async (more) => {
    const archive = movieArchive();
    const { status, body: queued } = await archive.json('/v2/postMovie/', posted({ ...body, ...more }));
    const { build } = (await archive.register.find(String(queued.id)))!;
    expect([status, build.recipe.scene]).toMatchObject([200, { events: [], overlays: { scale: null } }]);
  });

  it('stores the canonical form of an eventsState, without what it ignores', async () => {
    const archive = movieArchive();
    const path = (i: number) => `HEK>>${'x'.repeat(450)}${i}`;
    const paths = Array.from({ length: 35 }, (_, i) => path(i));
    const eventsState = {
      tree_HEK: { labels_visible: true, layers: [], layers_v2: paths, open: 'x'.repeat(800_000) },
      tree_OTHER: { invented: 'x'.repeat(100_000) },
    };
    const { body: queued } = await archive.json('/v2/postMovie/', posted({ ...body, eventsState }));
    const { movie, build } = (await archive.register.find(String(queued.id)))!;
    expect(build.recipe.scene.events[0]!.paths.length).toBe(35);
    expect(JSON.stringify(movie.request).length).toBeLessThan(20_000);
    expect(movieRecipeString(build.recipe).length).toBeLessThan(20_000);
  });

  it.each([
    ['more events than are stored', MANY_EVENTS],
    ['a bad object of events', { tree_HEK: 5 }],
  ])('refuses %s', async (_, eventsState) => {
    const response = await movieArchive().json('/v2/postMovie/', posted({ ...body, eventsState }));
    expect(response).toMatchObject({
      status: 400,
      body: { parameter: 'eventsState', error: expect.stringMatching(/^Expected .+, got /) },
    });
  });
});
