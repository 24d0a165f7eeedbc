import { expect, inject, it } from 'vitest';
import type { ReportedResponse } from '../description-server.ts';
import { fetchService } from '../service.ts';

const report = (part: Partial<ReportedResponse>): Promise<Response> => {
  const headers = [['Content-Type', 'application/json']] as const;
  const whole = { url: 'http://helioedge.test/v2/getStatus/', method: 'GET', status: 200, headers, body: '{}', ...part };
  return fetch(inject('descriptionServer'), { method: 'POST', body: JSON.stringify(whole) });
};

it('the comparison with the OpenAPI document accepts what the service answers', async () => {
  expect((await fetchService('http://helioedge.test/v2/getDataSources/')).status).toBe(200);
});

it.each([
  ['another body', { body: '[1]' }, /differs from the document/],
  ['an undescribed status', { status: 418 }, /is not in the document/],
  ['an undescribed media type', { headers: [['Content-Type', 'text/csv']] as const }, /text\/csv, which is not/],
  [
    'an undescribed header',
    {
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Surprise', '1'],
      ] as const,
    },
    /headers that the document does not name: x-surprise/,
  ],
])('the comparison with the OpenAPI document reports %s', async (_, part, sentence) => {
  const response = await report(part);
  expect([response.status, await response.text()]).toEqual([409, expect.stringMatching(sentence)]);
});
