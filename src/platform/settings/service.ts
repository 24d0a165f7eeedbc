import { z } from 'zod';
import { JPX_STYLES } from '../../jp2/jpx/file-name.ts';
import { MAX_JPX_FRAMES, MOST_JPX_FRAMES } from '../limits/jpx.ts';
import { MEMORY_BUDGET_MIB } from '../limits/memory.ts';
import { SHARD_COUNT } from '../storage/shards.ts';
import { withoutEndSlash } from '../util/url.ts';
import { list, optional, readBy, secret, type ValuesOf, type Variables, wholeNumber } from './variable.ts';

export const ADMIN_NAME = 'admin';

/** Shorter tokens could be guessed. */
export const MIN_TOKEN_CHARACTERS = 16;

/** Permissions of tokens: each a part of the admin operations, or all of them. Each route states its own. */
export const SCOPES = ['metrics', 'ingest', 'withdraw', 'mirror', 'webhooks', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

const NAMED_TOKEN = /^([a-z][a-z0-9_-]{0,31})(?:\/([a-z+]+))?:(\S+)$/;
const NAMED_TOKENS = `name/scopes:token separated by commas, with scopes of ${SCOPES.join(', ')} joined by +, with different names other than ${ADMIN_NAME}, and different tokens of at least ${MIN_TOKEN_CHARACTERS} characters`;

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** A token with its name and scopes; one without scopes has all. */
const namedToken = readBy((text) => {
  const [, name = '', given = 'all', token = ''] = NAMED_TOKEN.exec(text) ?? [];
  const scopes = given.split('+');
  const isGood = name !== '' && name !== ADMIN_NAME && token.length >= MIN_TOKEN_CHARACTERS;
  return isGood && scopes.every(isScope) ? { name, token, scopes } : null;
}, NAMED_TOKENS);

/** A second token under the name or with the value of another would hide whose changes are whose. */
export const areDistinct = (tokens: readonly { readonly name: string; readonly token: string }[]) =>
  [tokens.map(({ name }) => name), tokens.map(({ token }) => token)].every((each) => new Set(each).size === each.length);

const JPIP_ROOT = /^jpips?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[\w./-]*)?$/;
const SCHEMA_MIGRATIONS = '`<binding>:<migration>` separated by commas';

const schemaMigration = readBy((text) => {
  const [, binding = '', migration = ''] = /^(\w+):(\d{4}_[\w.-]+)$/.exec(text) ?? [];
  return binding === '' ? null : { binding, migration };
}, SCHEMA_MIGRATIONS);

const SHARD_BINDINGS = `1 or ${SHARD_COUNT} binding names separated by commas`;

const REQUEST_ANALYTICS = /^(?<account>[0-9a-f]{32})\/(?<dataset>\w{1,64}):(?<token>[\w-]{16,200})$/;
const REQUEST_ANALYTICS_FORM = '`<account id>/<dataset>:<API token>`';

export type RequestAnalytics = Readonly<Record<'account' | 'dataset' | 'token', string>>;

export const SERVICE_VARIABLES = {
  ADMIN_TOKEN: {
    type: secret(MIN_TOKEN_CHARACTERS),
    description: 'Secret of the ingest endpoints below `/admin`. Its holder is `admin` in `/admin/audit`.',
    unset: '`/admin` is closed',
    isSecret: true,
    isChosenByStart: true,
  },
  ADMIN_TOKENS: {
    type: list(namedToken, NAMED_TOKENS).refine(areDistinct, NAMED_TOKENS).default([]),
    description:
      'Tokens of single operators and programs for `/admin` and `/metrics`, by whose names `/admin/audit` tells their changes apart. A token without scopes has all.',
    unset: 'ADMIN_TOKEN alone',
    isSecret: true,
  },
  REQUEST_ANALYTICS: {
    type: optional(
      readBy((text) => (REQUEST_ANALYTICS.exec(text)?.groups as RequestAnalytics | undefined) ?? null, REQUEST_ANALYTICS_FORM),
    ),
    description:
      'Account, dataset of REQUEST_POINTS and API token with the permission Account Analytics: Read, with which `/metrics` has the requests of all isolates.',
    unset: '`/metrics` of a deployment has no requests',
    isSecret: true,
  },
  JPIP_ROOT: {
    type: optional(z.string().regex(JPIP_ROOT, 'jpip://<host>:<port> or jpips://<host>:<port>').transform(withoutEndSlash)),
    unit: '`jpip://<host>:<port>` or `jpips://<host>:<port>`',
    description: 'Start of the JPIP addresses in responses.',
    unset: 'host and port of the request',
  },
  JPX_STYLE: {
    type: z.enum(JPX_STYLES, JPX_STYLES.join(' or ')).default('standard'),
    description: 'Layout of JPX files; `2016` as hvJP2K wrote them in 2016.',
  },
  JPX_FRAMES: {
    type: wholeNumber(1, MOST_JPX_FRAMES).default(MAX_JPX_FRAMES),
    description:
      'Most frames of a linked JPX file of getJPX; files that contain their frames have up to 3200. Each takes two reads of R2 when the file is recorded.',
  },
  MEMORY_BUDGET: {
    // One of the largest pictures needs 61.
    type: wholeNumber(64, 4096).default(MEMORY_BUDGET_MIB),
    unit: '64 to 4096 MiB',
    description:
      'Memory of an isolate for its caches and for pictures, events and uploads in progress, of the 128 MB that a Worker may have.',
  },
  RECONCILED_PERCENT: {
    type: wholeNumber(0, 1000).default(100),
    unit: 'percent a month',
    description:
      'Share of the files, rows, sidecars and records that the clock compares with each other in 30 days, in at most 10,000 a minute; 0: none.',
  },
} as const satisfies Variables;

export const STORAGE_VARIABLES = {
  SHARD_DATABASES: {
    type: list(z.string(), SHARD_BINDINGS).refine(({ length }) => length === 1 || length === SHARD_COUNT, SHARD_BINDINGS),
    description: `D1 bindings of the ${SHARD_COUNT} shards of the image index, in order, or one for all of them.`,
    deployed: 'IMAGES',
    isChosenByStart: true,
    isInternal: true,
  },
  SCHEMA_MIGRATIONS: {
    type: list(schemaMigration, SCHEMA_MIGRATIONS).default([]),
    description:
      'The last migration of each kind of database that the Worker needs. `npm start` and `npm run deploy` pass those of `migrations/`. ' +
      'While a database does not fit, what stores is 503.',
    unset: 'databases are not checked',
    isChosenByStart: true,
    isInternal: true,
  },
} as const satisfies Variables;

export type ServiceSettings = ValuesOf<typeof SERVICE_VARIABLES>;
