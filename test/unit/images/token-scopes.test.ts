import { expect, it } from 'vitest';
import type { IngestedFile } from '../../../src/archive/ingest/ingest.ts';
import { ROUTES } from '../../../src/faces/routes.ts';
import { SCOPES } from '../../../src/platform/settings/service.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const image = archivedImage(26, 10, '2024-01-01T00:00:00Z');
const tokenOf = (scope: string) => `the-token-with-${scope}`;
const EACH_SCOPE = SCOPES.map((scope) => `${scope}-holder/${scope}:${tokenOf(scope)}`).join(',');

/** The scopes with which each operation is possible, without the `all` that has every one. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  'GET /metrics': ['metrics'],
  'GET /admin/images': ['ingest'],
  'GET /admin/images/:name': ['ingest'],
  'PUT /admin/images/:name': ['ingest'],
  'DELETE /admin/images/:name': ['withdraw'],
  'POST /admin/known': ['ingest'],
  'GET /admin/objects': ['ingest'],
  'POST /admin/objects': ['ingest'],
  'POST /admin/coefficients': ['ingest'],
  'GET /admin/rhessi': ['ingest'],
  'POST /admin/rhessi': ['ingest'],
  'GET /admin/ephemeris': ['ingest'],
  'PUT /admin/ephemeris/:spacecraft': ['ingest'],
  'DELETE /admin/ephemeris/:spacecraft': ['withdraw'],
  'GET /admin/reconciliation': ['withdraw'],
  'POST /admin/reconciliation': ['withdraw'],
  'POST /admin/purge': ['withdraw'],
  'POST /admin/mirror/sources': ['mirror'],
  'POST /admin/mirror/step': ['mirror'],
  'GET /admin/webhooks': ['webhooks'],
  'POST /admin/webhooks': ['webhooks'],
  'DELETE /admin/webhooks/:id': ['webhooks'],
  'POST /admin/webhooks/:id/test': ['webhooks'],
  'POST /admin/webhooks/:id/resume': ['webhooks'],
  'GET /admin/dead-letters': [],
  'POST /admin/dead-letters': [],
  'POST /admin/statements': [],
  'GET /admin/audit': [],
  'PUT /admin/sample': [],
  'DELETE /admin/sample': [],
};

/** The application with these tokens of operators, and the names of the files that it withdrew or replaced. */
function service(tokens: string) {
  const removed: string[] = [];
  const services = testServices({
    variables: { ADMIN_TOKEN: tokenOf('admin'), ADMIN_TOKENS: tokens },
    ingest: async ({ fileName, replace }: IngestedFile) => {
      if (replace) removed.push(fileName);
      return { outcome: 'added', image };
    },
    withdraw: async (fileName: string) => {
      removed.push(fileName);
      return { outcome: 'withdrawn', image: { ...image, withdrawnAtMs: 0, replacedBy: null } };
    },
  });
  const { request } = servedApp(services);
  const send = (token: string, operation: string, query = '') => {
    const [method = '', path = ''] = operation.split(' ');
    const named = path.replace(':name', 'one.jp2').replaceAll(/:\w+/g, '0');
    const headers = { Authorization: `Bearer ${token}` };
    return request(`http://sun.test${named}${query}`, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
  };
  return { send, removed, services };
}

it('tokens of operators need a scope for every admin operation, and for the metrics', () => {
  const rows = ROUTES.filter(({ kind, path, method }) => method && (kind === 'operator' || path.test('/metrics')));
  const named = rows.map(({ method, path: { source } }) => {
    return `${method} ${source
      .slice(1, -1)
      .replaceAll('\\/', '/')
      .replace(/\(\?<(\w+)>[^)]*\)/, ':$1')}`;
  });
  expect(named.sort()).toEqual(Object.keys(TABLE).sort());
});

it.each(Object.entries(TABLE))('tokens of operators permit %s with their scope only', async (operation, permitted) => {
  const { send } = service(EACH_SCOPE);
  for (const scope of SCOPES) {
    const response = await send(tokenOf(scope), operation);
    const isPermitted = scope === 'all' || permitted.includes(scope);
    expect([scope, response.status === 403]).toEqual([scope, !isPermitted]);
    expect(response.status).not.toBe(401);
    if (isPermitted) continue;
    expect(await response.json()).toMatchObject({
      error: `The token of ${scope}-holder does not have the scope ${permitted[0] ?? 'all'}, which this operation needs. Use a token that has it.`,
    });
  }
});

it('tokens of operators fail where one is cut, longer or absent, or does not have all scopes for an unknown path', async () => {
  const { send } = service(EACH_SCOPE);
  for (const token of ['', tokenOf('all').slice(0, -1), `${tokenOf('all')}x`, 'another-token-of-some-length']) {
    const { status, headers } = await send(token, 'PUT /admin/images/:name');
    expect([token, status, headers.get('WWW-Authenticate')]).toEqual([token, 401, 'Bearer']);
  }
  expect((await send(tokenOf('ingest'), 'GET /admin/unknown')).status).toBe(403);
  expect((await send(tokenOf('all'), 'GET /admin/unknown')).status).toBe(404);
});

it('tokens of operators replace an image only with the scopes ingest and withdraw, because the earlier one is withdrawn', async () => {
  const { send, removed } = service(`${EACH_SCOPE},both/ingest+withdraw:${tokenOf('both')}`);
  const replace = async (scope: string) => (await send(tokenOf(scope), 'PUT /admin/images/:name', '?replace=true')).status;
  expect([await replace('ingest'), await replace('withdraw'), removed]).toEqual([403, 403, []]);
  expect([await replace('both'), removed]).toEqual([201, ['one.jp2']]);
});

it('tokens of operators succeed one another while both are valid, and the audit log names the one in use', async () => {
  const both = service(`soc/withdraw:${tokenOf('old')},soc-2/withdraw:${tokenOf('new')}`);
  for (const token of ['old', 'new']) await both.send(tokenOf(token), 'DELETE /admin/images/:name');
  const { entries } = (await (await both.send(tokenOf('admin'), 'GET /admin/audit')).json()) as { entries: object[] };
  expect(entries).toMatchObject([{ operator: 'soc-2' }, { operator: 'soc' }]);
  const after = service(`soc-2/withdraw:${tokenOf('new')}`);
  expect((await after.send(tokenOf('old'), 'DELETE /admin/images/:name')).status).toBe(401);
  expect((await after.send(tokenOf('new'), 'DELETE /admin/images/:name')).status).toBe(200);
});
