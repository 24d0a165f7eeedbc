import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { workerVariables } from '../../src/cli/command.ts';
import { GENERATED } from '../../src/cli/docs.ts';
import { LAUNCHER_VARIABLES } from '../../src/platform/settings/launcher.ts';
import { SCHEMA } from '../../src/platform/settings/schema.ts';
import { SERVICE_VARIABLES } from '../../src/platform/settings/service.ts';
import { readVariables } from '../../src/platform/settings/variable.ts';

const root = resolve(import.meta.dirname, '..', '..');

const DEFAULTS = {
  jpipRoot: null,
  reconciledPercent: 100,
  requestAnalytics: null,
  adminToken: null,
  adminTokens: [],
  memoryBudget: 80,
  jpxStyle: 'standard',
  jpxFrames: 1000,
};

it('the settings of the service take their defaults where variables are unset or blank', () => {
  expect(readVariables(SERVICE_VARIABLES, {})).toEqual(DEFAULTS);
  expect(readVariables(SERVICE_VARIABLES, { JPIP_ROOT: ' ', ADMIN_TOKEN: '', DB: {} })).toEqual(DEFAULTS);
});

it('the settings of the service take a JPIP root without the slash at its end', () => {
  const { jpipRoot } = readVariables(SERVICE_VARIABLES, { JPIP_ROOT: 'jpips://jpip.example:8090/images/' });
  expect(jpipRoot).toBe('jpips://jpip.example:8090/images');
});

it.each(['http://host', 'jpip://', 'jpip://host:port', 'host:8090', 'jpip://host/<x>'])(
  'the settings of the service reject %s as the JPIP root',
  (root) => {
    expect(() => readVariables(SERVICE_VARIABLES, { JPIP_ROOT: root })).toThrow(`for JPIP_ROOT, got ${root}.`);
  },
);

it('the settings of the service reject a short secret without showing it', () => {
  const read = () => readVariables(SERVICE_VARIABLES, { ADMIN_TOKEN: 'hunter2' });
  expect(read).toThrow('Expected at least 16 characters for ADMIN_TOKEN, got 7.');
  expect(readVariables(SERVICE_VARIABLES, { ADMIN_TOKEN: 'x'.repeat(16) }).adminToken).toBe('x'.repeat(16));
});

it('the settings of the service take tokens of operators by name', () => {
  const [one, two] = ['1'.repeat(16), '2:'.repeat(8)];
  const { adminTokens } = readVariables(SERVICE_VARIABLES, { ADMIN_TOKENS: `alice:${one}, soc-2/ingest+withdraw:${two}` });
  expect(adminTokens).toEqual([
    { name: 'alice', token: one, scopes: ['all'] },
    { name: 'soc-2', token: two, scopes: ['ingest', 'withdraw'] },
  ]);
});

it.each([
  'alice:short',
  'alice',
  `Alice:${'1'.repeat(16)}`,
  `admin:${'1'.repeat(16)}`,
  `a:${'1'.repeat(16)},a:${'2'.repeat(16)}`,
  `a:${'1'.repeat(16)},b/metrics:${'1'.repeat(16)}`,
  `a/metric:${'1'.repeat(16)}`,
  `a/:${'1'.repeat(16)}`,
  `a/metrics+:${'1'.repeat(16)}`,
])('the settings of the service reject %s as tokens of operators without showing it', (text) => {
  expect(() => readVariables(SERVICE_VARIABLES, { ADMIN_TOKENS: text })).toThrow(
    new RegExp(`^Expected name/scopes:token separated .+ for ADMIN_TOKENS, got ${text.length}\\.$`),
  );
});

it('the settings of the service take one of the two styles of JPX files', () => {
  expect(readVariables(SERVICE_VARIABLES, { JPX_STYLE: '2016' }).jpxStyle).toBe('2016');
  expect(() => readVariables(SERVICE_VARIABLES, { JPX_STYLE: 'old' })).toThrow(
    'Expected standard or 2016 for JPX_STYLE, got old.',
  );
});

it('the settings of the npm commands take their defaults where variables of commands are unset or blank', () => {
  const defaults = { port: 8787, stateDir: null, hasSample: true, movieWorkers: 2, hangSeconds: 30, serviceUrl: null };
  expect(readVariables(LAUNCHER_VARIABLES, { PORT: '', SAMPLE: ' ' })).toEqual(defaults);
});

it('the settings of the npm commands come from variables of the environment', () => {
  const env = { PORT: '80', STATE_DIR: '/state', SAMPLE: 'none', MOVIE_WORKERS: '0', HANG_SECONDS: '5' };
  const settings = { port: 80, stateDir: '/state', hasSample: false, movieWorkers: 0, hangSeconds: 5 };
  const url = { HELIOEDGE_URL: 'https://sun.test/a/' };
  expect(readVariables(LAUNCHER_VARIABLES, { ...env, ...url })).toEqual({ ...settings, serviceUrl: 'https://sun.test/a' });
});

it.each([
  [{ PORT: '99999' }, 'Expected a port from 1 to 65535 for PORT, got 99999.'],
  [{ MOVIE_WORKERS: '9' }, 'Expected a number from 0 to 8 for MOVIE_WORKERS, got 9.'],
  [{ HANG_SECONDS: '1' }, 'Expected a number from 2 to 3600 for HANG_SECONDS, got 1.'],
  [{ HELIOEDGE_URL: 'localhost' }, 'Expected an http address for HELIOEDGE_URL, got localhost.'],
])('the settings of the npm commands reject %o with a sentence', (env, sentence) => {
  expect(() => readVariables(LAUNCHER_VARIABLES, env)).toThrow(sentence);
});

it('the settings of the npm commands pass on the variables of the Worker, except those that npm start chooses', () => {
  const env = {
    JPX_STYLE: '2016',
    SHORTENER_TOKEN: 't',
    MOVIE_TOKEN: 'm',
    MOVIE_CONTAINERS: '7',
    PATH: '/bin',
    LINK_ORIGINS: '',
  };
  expect(workerVariables(env)).toEqual({ JPX_STYLE: '2016', SHORTENER_TOKEN: 't' });
});

it.each(Object.entries(SCHEMA))(
  'the schema of the settings declares each variable of the %s once, with its default',
  (_, variables) => {
    const names = variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const unexplained = variables.filter(({ type, unset }) => type.safeParse(undefined).data === null && !unset);
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  },
);

it('the schema of the settings shows at most 42 variables in docs/configure.md, and none that only programs pass on', () => {
  const rows = GENERATED[0].text().match(/^\| `[A-Z_]+`/gm)!;
  expect(rows.length).toBeLessThanOrEqual(42);
  expect(rows).not.toContain('| `SCHEMA_MIGRATIONS`');
});

it.each(GENERATED)('the schema of the settings equals $file, which npm run docs writes', ({ file, between, text }) => {
  const [written] = between.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  expect(written).toBe(text());
});

it('docs/configure.md names every file of limits, and only files that exist', () => {
  const text = readFileSync(join(root, 'docs/configure.md'), 'utf8');
  const files = readdirSync(join(root, 'src/platform/limits')).map((name) => `src/platform/limits/${name}`);
  expect(files.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
  const named = [...text.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
