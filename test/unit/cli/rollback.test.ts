import { expect, it, vi } from 'vitest';
import { rollBack } from '../../../src/cli/deploy/rollback.ts';

const DATABASES = ['DB', 'OPERATIONS', 'IMAGES_00'].map((binding) => ({
  binding,
  database_name: `name-of-${binding}`,
  database_id: binding,
  migrations_dir: '',
}));
const DEPLOYED = [
  { created_on: '2026-11-01T00:00:00Z', versions: [{ version_id: 'older' }] },
  { created_on: '2026-11-20T00:00:00Z', versions: [{ version_id: 'newer' }] },
  { created_on: '2026-11-21T00:00:00Z', versions: [{ version_id: 'newer' }] },
];

const GIVEN = {
  needed: '',
  status: 200,
  version: null as string | null,
  deployed: DEPLOYED,
  shards: {} as Record<string, string>,
};

/** A rollback of an account whose databases have these migrations, and whose versions these maps of the shards. */
async function attempt(given: { readonly applied: readonly string[] } & Partial<typeof GIVEN>) {
  const { applied, needed, status, version, deployed, shards } = { ...GIVEN, ...given };
  const done: string[] = [];
  const said: string[] = [];
  const variables = [
    { name: 'PUBLIC_ORIGIN', type: 'plain_text', text: 'https://sun.test' },
    ...(needed ? [{ name: 'SCHEMA_MIGRATIONS', type: 'plain_text', text: needed }] : []),
  ];
  const wrangler = async (args: readonly string[]) => {
    if (args[0] === 'deployments') return JSON.stringify(deployed);
    const own = shards[args[2]!] ? [{ name: 'SHARD_DATABASES', type: 'plain_text', text: shards[args[2]!] }] : [];
    if (args[0] === 'versions') return JSON.stringify({ resources: { bindings: [...variables, ...own] } });
    if (args[0] === 'd1') return JSON.stringify([{ results: applied.map((name) => ({ name })) }]);
    done.push(args.slice(0, 2).join(' '));
    return 'rolled back';
  };
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    done.push(`${init.method} ${url} ${init.body} ${new Headers(init.headers).get('Authorization')}`);
    return new Response('{}', { status, headers: { 'Retry-After': '0' } });
  });
  const options = { wrangler, name: 'helioedge', version, databases: DATABASES, config: 'c.json', adminToken: 'token' };
  const failure = await rollBack({
    ...options,
    wait: async (ms: number) => void done.push(`wait ${ms}`),
    say: (line: string) => void said.push(line),
  }).then(
    () => null,
    (error: Error) => error.message,
  );
  return { done, said: said.join('\n'), failure };
}

const ALL = ['0000_baseline.sql', '0001_more.sql'];
const PURGE = 'POST https://sun.test/admin/purge {"everything":true} Bearer token';

it('A rollback goes to the version before the present one and purges its cache twice, for what others stored meanwhile.', async () => {
  const { done, failure, said } = await attempt({
    applied: ALL,
    needed: 'DB:0000_baseline,OPERATIONS:0001_more,IMAGES:0000_baseline',
  });
  expect(failure).toBeNull();
  expect(done).toEqual(['rollback older', 'wait 5000', PURGE, 'wait 60000', PURGE]);
  expect(said).toContain('the edge cache of https://sun.test is empty');
  expect(said).toContain('The containers of the movie workers keep their image.');
});

it('A rollback changes nothing where a database has lost what the version needs, or never had it.', async () => {
  for (const [applied, needed] of [
    [[...ALL, '0002_contract-more.sql'], 'DB:0001_more,OPERATIONS:0001_more,IMAGES:0001_more'],
    [[...ALL, '0002_contract-more.sql'], ''],
    [ALL, 'DB:0002_newer,OPERATIONS:0001_more,IMAGES:0001_more'],
  ] as const) {
    const { done, failure } = await attempt({ applied, needed });
    expect([done, failure]).toEqual([
      [],
      expect.stringMatching(/^Version older does not fit the database name-of-DB, .*Nothing was changed/),
    ]);
  }
  const first = await attempt({ applied: ALL, deployed: DEPLOYED.slice(1) });
  expect([first.done, first.failure]).toEqual([[], 'helioedge has no earlier version to go back to.']);
});

it('A rollback changes nothing where a shard has moved since that version.', async () => {
  const moved = [...Array(16).keys()].map((shard) => (shard === 5 ? 'IMAGES_16' : 'IMAGES_00')).join();
  const { done, failure } = await attempt({ applied: ALL, shards: { older: 'IMAGES_00', newer: moved } });
  expect([done, failure]).toEqual([
    [],
    expect.stringMatching(/^Version older looks in other databases for shards that have moved \(5\)/),
  ]);
});

it('A rollback to a version without purges, or whose purge is refused, says what is left to do.', async () => {
  expect((await attempt({ applied: ALL, status: 404, version: 'oldest' })).said).toContain('Deploy from its code');
  expect((await attempt({ applied: ALL, status: 503 })).said).toContain('Repeat POST /admin/purge');
});
