import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { workerVariables } from '../../src/cli/command.ts';
import { GENERATED } from '../../src/cli/docs.ts';
import { LAUNCHER_VARIABLES } from '../../src/platform/settings/launcher.ts';
import { readLinkSettings } from '../../src/platform/settings/links.ts';
import { MOVIE_QUEUE_VARIABLES, MOVIE_VARIABLES } from '../../src/platform/settings/movies.ts';
import { SCHEMA } from '../../src/platform/settings/schema.ts';
import { SERVICE_VARIABLES } from '../../src/platform/settings/service.ts';
import { readSharingSettings } from '../../src/platform/settings/sharing.ts';
import { readVariables } from '../../src/platform/settings/variable.ts';

const root = resolve(import.meta.dirname, '..', '..');

const DEFAULTS = {
  JPIP_ROOT: null,
  RECONCILED_PERCENT: 100,
  REQUEST_ANALYTICS: null,
  ADMIN_TOKEN: null,
  ADMIN_TOKENS: [],
  MEMORY_BUDGET: 80,
  JPX_STYLE: 'standard',
  JPX_FRAMES: 1000,
};

it('the settings of the service take their defaults where variables are unset or blank', () => {
  expect(readVariables(SERVICE_VARIABLES, {})).toEqual(DEFAULTS);
  expect(readVariables(SERVICE_VARIABLES, { JPIP_ROOT: ' ', ADMIN_TOKEN: '', DB: {} })).toEqual(DEFAULTS);
});

it.each(['http://host', 'jpip://', 'jpip://host:port', 'host:8090', 'jpip://host/<x>'])(
  'the settings of the service reject %s as the JPIP root',
  (root) => {
    expect(() => readVariables(SERVICE_VARIABLES, { JPIP_ROOT: root })).toThrow(`for JPIP_ROOT, got ${root}.`);
  },
);

it('the settings of the service reject a short secret without showing it, and take tokens of operators by name', () => {
  const read = () => readVariables(SERVICE_VARIABLES, { ADMIN_TOKEN: 'hunter2' });
  expect(read).toThrow('Expected at least 16 characters for ADMIN_TOKEN, got 7.');
  expect(readVariables(SERVICE_VARIABLES, { ADMIN_TOKEN: 'x'.repeat(16) }).ADMIN_TOKEN).toBe('x'.repeat(16));
  const [one, two] = ['1'.repeat(16), '2:'.repeat(8)];
  const { ADMIN_TOKENS: adminTokens } = readVariables(SERVICE_VARIABLES, {
    ADMIN_TOKENS: `alice:${one}, soc-2/ingest+withdraw:${two}`,
  });
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
  expect(readVariables(SERVICE_VARIABLES, { JPX_STYLE: '2016' }).JPX_STYLE).toBe('2016');
  expect(() => readVariables(SERVICE_VARIABLES, { JPX_STYLE: 'old' })).toThrow(
    'Expected standard or 2016 for JPX_STYLE, got old.',
  );
});

it('the settings of the npm commands come from the environment, and take their defaults where it is unset or blank', () => {
  const defaults = { PORT: 8787, STATE_DIR: null, SAMPLE: true, MOVIE_WORKERS: 2, HANG_SECONDS: 30, HELIOEDGE_URL: null };
  expect(readVariables(LAUNCHER_VARIABLES, { PORT: '', SAMPLE: ' ' })).toEqual(defaults);
  const env = { PORT: '80', STATE_DIR: '/state', SAMPLE: 'none', MOVIE_WORKERS: '0', HANG_SECONDS: '5' };
  const settings = { PORT: 80, STATE_DIR: '/state', SAMPLE: false, MOVIE_WORKERS: 0, HANG_SECONDS: 5 };
  const url = { HELIOEDGE_URL: 'https://sun.test/a/' };
  expect(readVariables(LAUNCHER_VARIABLES, { ...env, ...url })).toEqual({ ...settings, HELIOEDGE_URL: 'https://sun.test/a' });
});

it('the settings of movies take their defaults where variables are unset or blank, and are read', () => {
  const variables = { ...MOVIE_QUEUE_VARIABLES, ...MOVIE_VARIABLES };
  const queue = { MOVIE_TOKEN: null, MOVIE_WORKER_URL: [], MOVIE_CONTAINERS: 0, MOVIE_LEASE_SECONDS: 30 };
  const unset = { ...queue, MOVIE_QUEUE_COST: 691_200, MOVIE_CLIENT_COST: 34_560 };
  expect(readVariables(variables, {})).toEqual(unset);
  expect(readVariables(variables, { MOVIE_TOKEN: ' ', MOVIE_WORKER_URL: ' , ', MOVIE_CONTAINERS: '' })).toEqual(unset);
  const workers = { MOVIE_WORKER_URL: 'http://a:1/, http://b:2/movies', MOVIE_CONTAINERS: '4', MOVIE_LEASE_SECONDS: '8' };
  const costs = { MOVIE_QUEUE_COST: '7', MOVIE_CLIENT_COST: '1000' };
  expect(readVariables(variables, { MOVIE_TOKEN: 'x'.repeat(16), ...workers, ...costs })).toEqual({
    MOVIE_TOKEN: 'x'.repeat(16),
    MOVIE_WORKER_URL: ['http://a:1', 'http://b:2/movies'],
    ...{ MOVIE_CONTAINERS: 4, MOVIE_LEASE_SECONDS: 8, MOVIE_QUEUE_COST: 7, MOVIE_CLIENT_COST: 1000 },
  });
});

it('the settings of links and news take no other origin, no shortener and no blog by default, and are read', () => {
  expect(readLinkSettings({})).toEqual({ origins: [], shortener: null, newsFeedUrl: null });
  const env = { LINK_ORIGINS: 'https://a.example, http://b.example:81/', NEWS_FEED_URL: 'https://blog.example/feed' };
  expect(readLinkSettings({ ...env, SHORTENER_TOKEN: 't' })).toEqual({
    origins: ['https://a.example', 'http://b.example:81'],
    shortener: { url: 'https://api-ssl.bitly.com/v4/shorten', token: 't' },
    newsFeedUrl: 'https://blog.example/feed',
  });
  const custom = readLinkSettings({ SHORTENER_TOKEN: 't', SHORTENER_URL: 'https://short.example/' });
  expect(custom.shortener?.url).toBe('https://short.example/v4/shorten');
});

const VIDEO_HOST = { VIDEO_HOST_CLIENT_ID: 'client', VIDEO_HOST_CLIENT_SECRET: 'very secret', SESSION_KEY: 'k'.repeat(32) };

it('the settings of sharing take YouTube by default, a host on this machine without encryption, and none without a secret', () => {
  expect(readSharingSettings(VIDEO_HOST).videoHost).toMatchObject({
    authorisationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    uploadUrl: 'https://www.googleapis.com/upload/youtube/v3/videos',
    watchUrl: 'https://www.youtube.com/watch?v=',
  });
  expect(readSharingSettings({ PUBLIC_ORIGIN: 'https://sun.test/path' })).toMatchObject({ publicOrigin: 'https://sun.test' });
  const local = readSharingSettings({ ...VIDEO_HOST, VIDEO_HOST: 'http://127.0.0.1:9/' });
  expect(local.videoHost!.tokenUrl).toBe('http://127.0.0.1:9/token');
  for (const name of Object.keys(VIDEO_HOST)) expect(readSharingSettings({ ...VIDEO_HOST, [name]: ' ' }).videoHost).toBeNull();
});

const READERS = {
  'the npm commands': (env: object) => readVariables(LAUNCHER_VARIABLES, env),
  movies: (env: object) => readVariables({ ...MOVIE_QUEUE_VARIABLES, ...MOVIE_VARIABLES }, env),
  'links and news': (env: object) => readLinkSettings(env as Record<string, string>),
  sharing: (env: object) => readSharingSettings({ ...VIDEO_HOST, ...env }),
};

it.each<[keyof typeof READERS, Readonly<Record<string, string>>, string]>([
  ['the npm commands', { PORT: '99999' }, 'Expected a port from 1 to 65535 for PORT, got 99999.'],
  ['the npm commands', { MOVIE_WORKERS: '9' }, 'Expected a number from 0 to 8 for MOVIE_WORKERS, got 9.'],
  ['the npm commands', { HANG_SECONDS: '1' }, 'Expected a number from 2 to 3600 for HANG_SECONDS, got 1.'],
  ['the npm commands', { HELIOEDGE_URL: 'localhost' }, 'Expected an http address for HELIOEDGE_URL, got localhost.'],
  ['movies', { MOVIE_TOKEN: 'short' }, 'Expected at least 16 characters for MOVIE_TOKEN, got 5.'],
  ['movies', { MOVIE_WORKER_URL: 'http://a,ftp://b' }, 'for MOVIE_WORKER_URL, got ftp://b.'],
  ['movies', { MOVIE_WORKER_URL: 'localhost' }, 'for MOVIE_WORKER_URL, got localhost.'],
  ['movies', { MOVIE_CONTAINERS: '101' }, 'Expected a number from 0 to 100 for MOVIE_CONTAINERS, got 101.'],
  ['movies', { MOVIE_CONTAINERS: 'two' }, 'for MOVIE_CONTAINERS, got two.'],
  ['movies', { MOVIE_LEASE_SECONDS: '3' }, 'Expected a number from 4 to 600 for MOVIE_LEASE_SECONDS, got 3.'],
  ...['0', '-1', '1.5', 'many'].map((cost): ['movies', { MOVIE_QUEUE_COST: string }, string] => [
    'movies',
    { MOVIE_QUEUE_COST: cost },
    `for MOVIE_QUEUE_COST, got ${cost}.`,
  ]),
  ['links and news', { LINK_ORIGINS: 'a.example' }, 'LINK_ORIGINS'],
  ['links and news', { LINK_ORIGINS: 'https://a.example/path' }, 'LINK_ORIGINS'],
  ['links and news', { LINK_ORIGINS: '*' }, 'LINK_ORIGINS'],
  ['links and news', { NEWS_FEED_URL: 'file:///etc/passwd' }, 'NEWS_FEED_URL'],
  ['links and news', { NEWS_FEED_URL: 'https://user:secret@blog.example/' }, 'NEWS_FEED_URL'],
  ['links and news', { SHORTENER_TOKEN: 'secret', SHORTENER_URL: 'http://short.example' }, 'SHORTENER_URL'],
  ['sharing', { VIDEO_HOST: 'http://oauth.test/secret' }, 'for VIDEO_HOST, got'],
  ['sharing', { VIDEO_HOST: 'https://user:secret@host.test/' }, 'for VIDEO_HOST, got'],
  ['sharing', { VIDEO_HOST: 'javascript:secret(1)' }, 'for VIDEO_HOST, got'],
  ['sharing', { VIDEO_HOST: 'http://169.254.169.254/secret' }, 'for VIDEO_HOST, got'],
  ['sharing', { PUBLIC_ORIGIN: 'http://secret.test' }, 'for PUBLIC_ORIGIN, got'],
  ['sharing', { SESSION_KEY: 'too short a secret' }, 'for SESSION_KEY, got'],
])('the settings of %s reject %o with a sentence that names the variable and shows no secret', (reader, env, sentence) => {
  expect(() => READERS[reader](env)).toThrow(sentence);
  expect(() => READERS[reader](env)).not.toThrow(/secret/);
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
