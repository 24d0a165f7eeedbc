import { expect, it } from 'vitest';
import { rebased, type Shown } from '../../../src/explorer/store/shown.ts';
import { viewOverlays } from '../../../src/picture/address/view.ts';
import type { Layer } from '../../../src/picture/layers.ts';
import { PLANE } from '../../../src/picture/projection.ts';

const NONE = viewOverlays(() => false);

const layer = (sourceId: number, opacity = 100): Layer => ({ sourceId, isVisible: true, opacity });

/** A state with these layers, each with its source as its key and image. */
function state(layers: readonly Layer[], part: Partial<Shown['view']> = {}): Shown {
  const place = { projection: PLANE, centre: null, imageScale: null };
  return {
    view: { atMs: 1, layers, ...place, events: [], overlays: NONE, ...part },
    isNewest: false,
    images: layers.map(({ sourceId }) => ({ id: sourceId }) as Shown['images'][number]),
    keys: layers.map(({ sourceId }) => sourceId),
  };
}

const PLACE = { centre: { x: 1, y: 2 }, imageScale: 3 };

it('a view that has loaded appears as requested when nothing has changed meanwhile', () => {
  const before = state([layer(10)], PLACE);
  const asked = state([layer(13, 40), layer(10, 60)], {
    atMs: 2,
    events: [{ pin: 'FL', methods: null }],
    overlays: { ...NONE, grid: true },
  });
  expect(rebased(asked, before, before)).toEqual(asked);
  expect(rebased(asked, null, null)).toBe(asked);
});

it('a view that has loaded keeps the position, opacities and overlays that have changed meanwhile', () => {
  const before = state([layer(10), layer(13)]);
  const now = state([layer(10), layer(13, 50)], {
    ...PLACE,
    events: [{ pin: 'AR', methods: null }],
    overlays: { ...NONE, scale: true },
  });
  const asked = state([layer(10, 30), layer(13)], { atMs: 2, overlays: { ...NONE, grid: true } });
  expect(rebased(asked, before, now)).toEqual(
    state([layer(10, 30), layer(13, 50)], {
      ...PLACE,
      atMs: 2,
      events: [{ pin: 'AR', methods: null }],
      overlays: { ...NONE, grid: true, scale: true },
    }),
  );
});

it('a view that has loaded keeps colours that have changed meanwhile, and takes those that were asked for', () => {
  const [dark, bright] = [
    { low: 0, high: 100, gamma: 1 },
    { low: 50, high: 255, gamma: 2 },
  ];
  const before = state([layer(10), layer(13)]);
  const now = state([{ ...layer(10), range: dark }, layer(13)]);
  const asked = state([layer(10), { ...layer(13), range: bright }], { atMs: 2 });
  expect(rebased(asked, before, now).view.layers.map(({ range }) => range)).toEqual([dark, bright]);
});

it('a view that has loaded keeps an order of layers that has changed meanwhile, around a new layer, and adds no others', () => {
  const before = state([layer(10), layer(13)]);
  const now = state([layer(13), layer(10)]);
  const asked = state([layer(10), layer(4), layer(13)], { atMs: 2 });
  expect(rebased(asked, before, now)).toEqual(state([layer(13), layer(4), layer(10)], { atMs: 2 }));
  expect(rebased(state([layer(8)]), before, state([layer(10), layer(13, 50)]))).toEqual(state([layer(8)]));
});
