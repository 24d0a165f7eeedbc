// The public origin of a deployment: that of a custom domain, or of the service's name on workers.dev.
import { expected } from '../arguments.ts';

/** Host of an origin of workers.dev, which the platform assigns. */
const WORKERS_DEV = /\.workers\.dev$/;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const ADDRESS = /https:\/\/[\w.-]+\.workers\.dev\b/;

interface GivenOrigin {
  readonly domain: string | null;
  /** PUBLIC_ORIGIN of wrangler.toml, and of the version that the account runs. */
  readonly configured: string | null;
  readonly deployed: string | null;
  /** Asks the operator, for a first deployment; null without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** The origin, from the first of these that states one. Null for a first deployment to workers.dev. @throws ArgumentError */
export async function publicOrigin({ domain, configured, deployed, ask }: GivenOrigin): Promise<string | null> {
  if (domain !== null) return originOf(domain);
  const known = configured ?? deployed;
  if (known !== null || ask === null) return known;
  const answer = (await ask('Domain of the service, in a zone of the account (empty: a name on workers.dev): ')).trim();
  return answer === '' ? null : originOf(answer);
}

function originOf(domain: string): string {
  if (DOMAIN.test(domain) && !WORKERS_DEV.test(domain)) return `https://${domain}`;
  throw expected('a domain such as images.example.org', 'domain', domain);
}

/** The origin in the output of a deployment to workers.dev; null without one. */
export const assignedOrigin = (output: string): string | null => ADDRESS.exec(output)?.[0] ?? null;

/** The custom domain of an origin; null for workers.dev. */
export function customDomain(origin: string | null): string | null {
  const host = origin === null ? null : new URL(origin).host;
  return host === null || WORKERS_DEV.test(host) ? null : host;
}
