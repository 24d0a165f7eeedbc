// What is asked of the account before anything is made: its products and the permissions of its token, its name on workers.dev, what a
// custom domain would replace, and settings of its zone that keep out programs.
import type { AccountApi } from './account-api.ts';

/** Products of a deployment, each with a list that fails where the account lacks the product or the token its permission. */
const PRODUCTS = [
  { name: 'Workers', path: 'workers/scripts', permission: 'Workers Scripts: Edit' },
  { name: 'D1', path: 'd1/database?per_page=10', permission: 'D1: Edit' },
  { name: 'R2', path: 'r2/buckets?per_page=10', permission: 'Workers R2 Storage: Edit' },
  { name: 'Queues', path: 'queues?per_page=10', permission: 'Queues: Edit' },
] as const;
const CONTAINERS = { name: 'Containers', path: 'containers/me', permission: 'Containers: Edit' } as const;

interface Readiness {
  readonly api: AccountApi;
  readonly worker: string;
  /** Custom domain; null for a name on workers.dev. */
  readonly domain: string | null;
  readonly hasContainers: boolean;
  /** Whether a domain that is in use is taken over. */
  readonly takeOver: boolean;
  readonly say: (line: string) => void;
}

/** The result at a path, or the sentence of the API's refusal. */
const asked = (api: AccountApi, path: string): Promise<{ readonly result?: unknown; readonly refusal?: string }> =>
  api.get(path).then(
    (result) => ({ result }),
    (error: Error) => ({ refusal: error.message }),
  );

/** @throws Error that says what is missing, or what the domain is used for */
export async function checkReadiness(readiness: Readiness): Promise<void> {
  const { api, domain, hasContainers } = readiness;
  const account = `/accounts/${api.accountId}`;
  const missing: string[] = [];
  for (const { name, path, permission } of hasContainers ? [...PRODUCTS, CONTAINERS] : PRODUCTS) {
    const { refusal } = await asked(api, `${account}/${path}`);
    if (refusal) missing.push(`${name}: ${refusal}. Give the token the permission ${permission}, and the account the product.`);
  }
  if (domain === null) {
    const { refusal } = await asked(api, `${account}/workers/subdomain`);
    if (refusal) {
      const advice = 'Choose one in the dashboard (Workers & Pages), or deploy with --domain';
      missing.push(`The account has no name on workers.dev: ${refusal}. ${advice}.`);
    }
  }
  if (missing.length > 0) throw new Error(`Nothing was made, because the account is not ready.\n${missing.join('\n')}`);
  if (domain !== null) await checkDomain(domain, readiness);
}

const LISTED = /^(A|AAAA|CNAME)$/;

/** @throws Error for a domain outside of the zones of the account, and for one that is in use unless it is taken over */
async function checkDomain(domain: string, { api, worker, takeOver, say }: Readiness): Promise<void> {
  const zone = await zoneOf(domain, api);
  const domains = (await api.get(`/accounts/${api.accountId}/workers/domains?hostname=${domain}`)) as {
    readonly service: string;
  }[];
  const others = domains
    .filter(({ service }) => service !== worker)
    .map(({ service }) => `the custom domain of the Worker ${service}`);
  // The record of a custom domain belongs to it.
  if (domains.length === 0) {
    const { result, refusal } = await asked(api, `/zones/${zone.id}/dns_records?name=${domain}`);
    const records = (result ?? []) as { readonly type: string; readonly content: string }[];
    others.push(
      ...records.filter(({ type }) => LISTED.test(type)).map(({ type, content }) => `the DNS record ${type} ${content}`),
    );
    if (refusal) others.push(`DNS records that could not be read (${refusal}: the token needs DNS: Read)`);
  }
  if (others.length > 0) {
    const used = `${domain} is in use: ${others.join(', ')}.`;
    if (!takeOver) throw new Error(`${used} A deployment would replace that. Choose another name, or repeat with --take-over.`);
    say(`${used} The deployment replaces that.`);
  }
  await warnOfBlocks(zone, api, say);
}

interface Zone {
  readonly id: string;
  readonly name: string;
}

async function zoneOf(domain: string, api: AccountApi): Promise<Zone> {
  const labels = domain.split('.');
  for (let i = 0; i < labels.length - 1; i += 1) {
    const name = labels.slice(i).join('.');
    const [zone] = (await api.get(`/zones?name=${name}&account.id=${api.accountId}`)) as Zone[];
    if (zone) return zone;
  }
  throw new Error(
    `The account has no zone for ${domain}, or its token no permission Zone: Read. Add the domain to the account first.`,
  );
}

/** Says which settings of the zone keep out scripts, desktop clients and assistants. They cannot be excepted by path on every plan. */
async function warnOfBlocks({ id, name }: Zone, api: AccountApi, say: (line: string) => void): Promise<void> {
  const bots = await asked(api, `/zones/${id}/bot_management`);
  const integrity = await asked(api, `/zones/${id}/settings/browser_check`);
  const { fight_mode: fights, ai_bots_protection: ai } = (bots.result ?? {}) as {
    fight_mode?: boolean;
    ai_bots_protection?: string;
  };
  const { value } = (integrity.result ?? {}) as { value?: string };
  const warnings = [
    ...(fights ? ['Bot Fight Mode is on, which challenges scripts and /mcp'] : []),
    ...(value === 'on' ? ['Browser Integrity Check is on, which refuses scripts without the usual User-Agent'] : []),
    ...(ai === 'block' ? ['Block AI bots is on, which keeps assistants from /llms.txt and /mcp'] : []),
    ...(bots.refusal || integrity.refusal ? ['some settings could not be read (Bot Management: Read, Zone Settings: Read)'] : []),
  ];
  for (const warning of warnings) say(`Zone ${name}: ${warning}. See "The first day" in docs/operate.md.`);
}
