import { D1Links } from '../../../src/sharing/d1-links.ts';
import { ShortLinks, type UrlShortener } from '../../../src/sharing/short-links.ts';
import { type BudgetLimits, budgetsIn } from './budgets.ts';
import { callOf } from './call.ts';
import { databasesIn, migrated } from './sqlite-d1.ts';

interface Choices {
  readonly origins?: readonly string[];
  readonly shortener?: UrlShortener | null;
  readonly clock?: () => number;
  /** In place of some of the usual budgets. */
  readonly limits?: BudgetLimits;
}

/** The short link service over a new database, and its log. */
export function memoryShortLinks({ origins = [], shortener = null, clock = () => 0, limits = {} }: Choices = {}) {
  const database = migrated();
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (record: Readonly<Record<string, unknown>>) => logged.push(record);
  const register = new D1Links(databasesIn(database));
  /** Stored addresses by their keys. */
  const addresses = async () => {
    const { results } = await database.prepare('SELECT key, address FROM short_links').all<{ key: string; address: string }>();
    return new Map(results.map(({ key, address }) => [key, address]));
  };
  /** Stores an address under a key, instead of one that it has. */
  const store = async (key: string, address: string) => {
    await database.prepare('DELETE FROM short_links WHERE key = ?').bind(key).run();
    await register.add(key, address, 0);
  };
  const budgets = budgetsIn({ main: database }, { clock, limits });
  const links = new ShortLinks({ register, shortener, settings: { origins }, clock, log });
  /** Shortens an address as a client. */
  const shortenAs = (address: string, ownOrigin: string, client: string) =>
    links.shorten(address, ownOrigin, callOf({ client, budgets }).admission);
  return { database, addresses, store, logged, links, shortenAs };
}
