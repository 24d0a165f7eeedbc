// What the account has, by wrangler and by its API: outputs of commands, the deployed version of the Worker, products and domains.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { when } from '../../platform/util/errors.ts';
import { INTERRUPTED, onInterrupt } from '../../platform/util/interrupt.ts';
import { ProgramError } from '../command.ts';

/** Runs wrangler and resolves with its output. @throws ProgramError when it fails */
export type Wrangler = (args: readonly string[]) => Promise<string>;

/** Keeps secrets in a file that only this user can read, and deletes it, also when the process is interrupted. */
export async function withSecrets<T>(secrets: object, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'helioedge-deploy-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  onInterrupt(() => process.exit(INTERRUPTED));
  try {
    const path = join(folder, 'secrets.json');
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
    return await use(path);
  } finally {
    remove();
  }
}

/** The JSON in the output of wrangler, which may have notices around it. @throws Error without one */
const jsonOf = (what: string, form: RegExp) => (output: string) => {
  const json = form.exec(output)?.[0];
  if (json !== undefined) return JSON.parse(json) as unknown;
  throw new Error(`The output of wrangler has no ${what}: ${output.slice(0, 200).trim() || 'it is empty'}.`);
};
export const jsonList = jsonOf('list', /^\[.*\]$|^\[[\s\S]*?^\]/m);
export const jsonObject = jsonOf('object', /^\{[\s\S]*\}/m);

export async function executed(wrangler: Wrangler, binding: string, config: string, statement: string): Promise<unknown[]> {
  const output = await wrangler(['d1', 'execute', binding, '--remote', '--json', '--config', config, '--command', statement]);
  const [query] = jsonList(output) as { readonly results: unknown[] }[];
  return query?.results ?? [];
}

/** Ids of the databases of the account by their names. */
export async function d1Ids(wrangler: Wrangler): Promise<ReadonlyMap<string, string>> {
  const listed = jsonList(await wrangler(['d1', 'list', '--json'])) as { readonly name: string; readonly uuid: string }[];
  return new Map(listed.map(({ name, uuid }) => [name, uuid]));
}

/** Whether the work ends without a ProgramError. @throws the other errors of the work */
export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(() => true).catch(when(ProgramError, () => false));

export interface DeployedVersion {
  readonly resources: {
    readonly bindings: readonly {
      readonly name: string;
      readonly type: string;
      readonly text?: string;
      readonly class_name?: string;
    }[];
  };
}

/** Refusals of the API for a Worker that the account does not have. */
const NO_WORKER = /\[code: ?(10007|10090)\]|was not found in your account|does not exist on your account/;

/** The output of a command; null when the account has no such Worker. @throws ProgramError for other failures */
export const ofWorker = (output: Promise<string>): Promise<string | null> =>
  output.catch(when(ProgramError, ({ message }) => (NO_WORKER.test(message) ? null : undefined)));

/** The latest version; null when the Worker has not been deployed. */
export async function latestVersion(wrangler: Wrangler, name: string): Promise<DeployedVersion | null> {
  const list = await ofWorker(wrangler(['versions', 'list', '--json', '--name', name]));
  const versions = list === null ? [] : (jsonList(list) as { readonly id: string; readonly number: number }[]);
  const [latest] = versions.sort((a, b) => b.number - a.number);
  if (!latest) return null;
  return jsonObject(await wrangler(['versions', 'view', latest.id, '--json', '--name', name])) as DeployedVersion;
}

export const variableOf = ({ resources }: DeployedVersion, variable: string): string | null =>
  resources.bindings.find(({ name }) => name === variable)?.text ?? null;

export type AccountApi = Awaited<ReturnType<typeof accountApi>>;

const API = 'https://api.cloudflare.com/client/v4';

interface ApiBody {
  readonly result?: unknown;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

/** The API with the credentials that wrangler has. @throws Error for an account that is not told by the login alone */
export async function accountApi(wrangler: Wrangler, given: string | undefined) {
  const { accounts } = jsonObject(await wrangler(['whoami', '--json'])) as { accounts: readonly { readonly id: string }[] };
  const accountId = given ?? (accounts.length === 1 ? accounts[0]!.id : null);
  if (accountId === null) throw new Error('The login has several accounts. Set CLOUDFLARE_ACCOUNT_ID.');
  const { token } = jsonObject(await wrangler(['auth', 'token', '--json'])) as { readonly token?: string };
  if (token === undefined) throw new Error('The login has no token. Set CLOUDFLARE_API_TOKEN.');
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(API + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const { result, errors = [] } = (await response.json().catch(() => ({}))) as ApiBody;
    if (response.ok) return result;
    throw new Error(`status ${response.status}${errors.map(({ code, message }) => `, ${message} (${code})`).join('')}`);
  };
  return {
    accountId,
    /** The result at a path such as `/zones`. @throws Error with the API's refusal */
    get: (path: string) => send('GET', path),
    put: async (path: string, body: object): Promise<void> => void (await send('PUT', path, body)),
  };
}

/** Switches replication on for new databases; those that exist are left as their operators have them. */
export async function replicate(
  api: () => Promise<AccountApi>,
  databases: readonly { readonly database_name: string; readonly database_id: string }[],
  say: (line: string) => void,
): Promise<void> {
  if (databases.length === 0) return;
  try {
    const { accountId, put } = await api();
    for (const { database_id: id } of databases)
      await put(`/accounts/${accountId}/d1/database/${id}`, { read_replication: { mode: 'auto' } });
    say(`read replication is on for ${databases.length} image ${databases.length === 1 ? 'database' : 'databases'}`);
  } catch (error) {
    const { message } = error as Error;
    say(
      `Read replication could not be switched on: ${message}. docs/operate.md, "Read replicas of D1", says how to do it later.`,
    );
  }
}
