// The API of the account, for what wrangler cannot do: read replication of D1, and what the account already has.
import { jsonObject, type Wrangler } from './wrangler.ts';

export interface AccountApi {
  readonly accountId: string;
  /** The result at a path such as `/zones`. @throws Error with the API's refusal */
  get(path: string): Promise<unknown>;
  /** @throws Error with the API's refusal */
  put(path: string, body: object): Promise<void>;
}

const API = 'https://api.cloudflare.com/client/v4';

interface ApiBody {
  readonly result?: unknown;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

/** The API with the credentials that wrangler has. @throws Error for an account that is not told by the login alone */
export async function accountApi(wrangler: Wrangler, given: string | undefined): Promise<AccountApi> {
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
  return { accountId, get: (path) => send('GET', path), put: async (path, body) => void (await send('PUT', path, body)) };
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
