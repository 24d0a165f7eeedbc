// Dates of responses as dates of requests: each form in which a response states a time finds the image of that time again.
import { expect, it } from 'vitest';
import { testArchive } from '../../support/test-archive.ts';

const RANGE = 'startTime=2024-01-01T00:00:00Z&endTime=2024-01-01T00:01:30Z';

const { get } = testArchive();

const found = async (date: unknown) => {
  const response = await get(`/v2/getClosestImage/?sourceId=10&date=${encodeURIComponent(String(date))}`);
  return [response.status, ((await response.json()) as { id?: number }).id];
};

interface Dated {
  readonly date: string;
  readonly start: string;
  readonly images: readonly { readonly date: string }[];
}

const jsonOf = async (path: string): Promise<Dated> => (await get(path)).json();

it.each<[form: string, dates: () => Promise<readonly unknown[]>]>([
  ['getClosestImage', async () => [(await jsonOf('/v2/getClosestImage/?sourceId=10&date=2024-01-01T00:01:00Z')).date]],
  [
    'X-Image-Date',
    async () => [(await get('/v2/getJP2Image/?sourceId=10&date=2024-01-01T00:01:00Z')).headers.get('X-Image-Date')],
  ],
  [
    'listImages',
    async () => {
      const { images } = await jsonOf(`/v2/listImages/?sourceId=10&${RANGE}`);
      return [images[1]!.date];
    },
  ],
  [
    'getDataGaps',
    async () => [
      (await jsonOf('/v2/getDataGaps/?sourceId=10&startTime=2024-01-01T00:01:00Z&endTime=2024-01-02T00:00:00Z')).start,
    ],
  ],
])('the dates of %s are dates of requests', async (_form, dates) => {
  for (const date of await dates()) expect(await found(date), String(date)).toEqual([200, 42]);
});

it('a layer takes the date of its base difference in the form of responses', async () => {
  const scene = 'date=2024-01-01T00:01:00Z&imageScale=9.6&x0=0&y0=0&width=9&height=9&display=true';
  const picture = async (base: string) => (await get(`/v2/takeScreenshot/?${scene}&layers=[10,1,100,2,0,0,${base}]`)).text();
  expect(await picture('2024-01-01 00:00:00')).toBe(await picture('2024-01-01T00:00:00Z'));
});
