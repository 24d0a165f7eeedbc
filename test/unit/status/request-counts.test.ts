import { expect, it, vi } from 'vitest';
import { analyticsCounts } from '../../../src/operator/status/analytics-sql.ts';
import { SERVICE_VARIABLES } from '../../../src/platform/settings/service.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import type { Env } from '../../../src/worker/platform.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

/** A module of its own: other test files of the process count requests as well. */
const GATEWAY: string = '../../../src/worker/gateway.ts?counted';
const { COUNTED_MINUTES, countRequest, isolateCounts } = (await import(
  GATEWAY
)) as typeof import('../../../src/worker/gateway.ts');

const NOW = Date.UTC(2026, 4, 10);
const ACCOUNT = '0123456789abcdef0123456789abcdef';
const TOKEN = 'a-token-of-analytics';

it('Requests are counted by operation, and as faults only where the service is at fault, in every form.', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(NOW);
  const points: AnalyticsEngineDataPoint[] = [];
  const env = { REQUEST_POINTS: { writeDataPoint: (point: AnalyticsEngineDataPoint) => points.push(point) } } as unknown as Env;
  const services = testServices();
  const { request } = servedApp(services);
  const count = async (path: string) => {
    const sent = new Request(`http://sun.test${path}`);
    const response = await request(sent);
    countRequest(env, sent, response, 250);
    expect(response.headers.has('Service-Fault')).toBe(false);
    return response.status;
  };
  expect(await count('/?action=getTile&id=x')).toBe(500);
  expect(await count('/v2/getTile/?id=x')).toBe(400);
  Object.assign(services.index, {
    inRange: () => Promise.reject(new Error('broken')),
    extents: () => Promise.reject(new Error('broken')),
  });
  expect(await count('/v2/getDataSources/')).toBe(500);
  for (const path of ['/v2/madeUp/', '/made/up', '/admin/images']) await count(path);
  await count('/robots.txt');
  const ofTiles = { operation: 'getTile', requests: 2, faults: 0, hits: 0, seconds: 0.5 };
  const ofSources = { operation: 'getDataSources', requests: 1, faults: 1, hits: 0, seconds: 0.25 };
  const others = { operation: 'other', requests: 3, faults: 0, hits: 0, seconds: 0.75 };
  const ofFile = { operation: 'robots.txt', requests: 1, faults: 0, hits: 0, seconds: 0.25 };
  expect(isolateCounts()).toEqual([ofTiles, ofSources, others, ofFile]);
  expect(points[2]).toEqual({ indexes: ['getDataSources'], blobs: ['getDataSources'], doubles: [1, 0, 0.25] });
  now.mockReturnValue(NOW + COUNTED_MINUTES * MINUTE_MS);
  await count('/robots.txt');
  expect(isolateCounts()).toEqual([ofFile]);
  now.mockRestore();
});

it('Requests of a deployment come from the SQL API of Analytics Engine, each point by its weight.', async () => {
  const { REQUEST_ANALYTICS: requestAnalytics } = readVariables(SERVICE_VARIABLES, {
    REQUEST_ANALYTICS: `${ACCOUNT}/helioedge_requests:${TOKEN}`,
  });
  const sent: Request[] = [];
  const row = { operation: 'getTile', requests: '40', faults: 2, hits: 30, seconds: 1.5 };
  const counts = await analyticsCounts(requestAnalytics!, COUNTED_MINUTES, async (url, init) => {
    sent.push(new Request(url as string, init));
    return Response.json({ data: [row] });
  });
  expect(counts).toEqual([{ ...row, requests: 40 }]);
  expect(sent[0]!.url).toBe(`https://api.cloudflare.com/client/v4/accounts/${ACCOUNT}/analytics_engine/sql`);
  expect(sent[0]!.headers.get('Authorization')).toBe(`Bearer ${TOKEN}`);
  expect(await sent[0]!.text()).toMatch(
    /SUM\(_sample_interval \* double1\) AS faults[\s\S]*FROM helioedge_requests WHERE timestamp > NOW\(\) - INTERVAL '5' MINUTE/,
  );
  expect(() => readVariables(SERVICE_VARIABLES, { REQUEST_ANALYTICS: TOKEN })).toThrow('for REQUEST_ANALYTICS');
});
