// Read replication of D1, which only the API of the account switches on.
import { jsonObject, type Wrangler } from './wrangler.ts';

export interface AccountApi {
  /** @throws Error for a refusal */
  put(path: string, body: object): Promise<void>;
}

const API = 'https://api.cloudflare.com/client/v4';

/** The API with the credentials that wrangler has. @throws Error for an account that is not told by the login alone */
export async function accountApi(wrangler: Wrangler, accountId: string | undefined): Promise<AccountApi> {
  const { accounts } = jsonObject(await wrangler(['whoami', '--json'])) as { accounts: readonly { readonly id: string }[] };
  const id = accountId ?? (accounts.length === 1 ? accounts[0]!.id : null);
  if (id === null) throw new Error('The login has several accounts. Set CLOUDFLARE_ACCOUNT_ID.');
  const { token } = jsonObject(await wrangler(['auth', 'token', '--json'])) as { readonly token?: string };
  if (token === undefined) throw new Error('The login has no token. Set CLOUDFLARE_API_TOKEN.');
  return {
    async put(path, body) {
      const response = await fetch(`${API}/accounts/${id}${path}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The API answered with status ${response.status}.`);
    },
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
    const { put } = await api();
    for (const { database_id: id } of databases) await put(`/d1/database/${id}`, { read_replication: { mode: 'auto' } });
    say(`read replication is on for ${databases.length} image ${databases.length === 1 ? 'database' : 'databases'}`);
  } catch (error) {
    const { message } = error as Error;
    say(`Read replication could not be switched on: ${message} docs/operate.md, "Read replicas of D1", says how to do it later.`);
  }
}
