// Lists that are sent while they are read, in workerd over D1.
import { expect, it } from 'vitest';
import { makeImage } from '../../support/imaging/images.ts';
import { send as get, register } from '../service.ts';

const NOON = Date.UTC(2021, 5, 1, 12);

it('A list of several pages, the manifest and its days agree with what was added.', async () => {
  const images = Array.from({ length: 1300 }, (_, i) =>
    makeImage(i % 13 === 0 ? 11 : 10, NOON + i * 60_000.001, { fileName: `image_${i}.jp2`, byteLength: 1000 + i }),
  );
  for (let i = 0; i < images.length; i += 100) await register().addAll(images.slice(i, i + 100));
  const text = await (await get('/v2/getHoldings/')).text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const bytes = images.reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(lines.pop()).toEqual({ next: null, count: 1300, bytes });
  expect(lines.map(({ name }) => name)).toEqual(
    images.toSorted((a, b) => a.sourceId - b.sourceId || a.takenAtMs - b.takenAtMs).map(({ fileName }) => fileName),
  );

  const days = (await (await get('/v2/getHoldings/?detail=days&format=json')).json()) as Record<string, unknown>;
  expect(days).toMatchObject({ next: null, count: 1300, bytes });
  expect(days.days).toContainEqual(expect.objectContaining({ sourceId: 10, day: '2021-06-01' }));

  const listed = (await (await get('/v2/listImages/?sourceId=10&limit=1100')).json()) as {
    images: { date: string }[];
    next: string;
  };
  expect([listed.images.length, listed.next]).toEqual([1100, listed.images.at(-1)!.date]);
  const rest = (await (await get(`/v2/listImages/?sourceId=10&after=${listed.next}`)).json()) as { images: object[]; next: null };
  expect([rest.images.length, rest.next]).toEqual([1200 - 1100, null]);
});
