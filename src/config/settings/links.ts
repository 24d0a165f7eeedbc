// Settings of short links and of the news feed.
import { Failure } from '../../domain/errors.ts';

export interface ShortenerSettings {
  /** Where links are posted. */
  readonly url: string;
  readonly token: string;
}

export interface LinkSettings {
  /** `LINK_ORIGINS`, besides the service's own: where short links may lead. */
  readonly origins: readonly string[];
  /** `SHORTENER_URL` and `SHORTENER_TOKEN`; null unless there is a token. */
  readonly shortener: ShortenerSettings | null;
  /** `NEWS_FEED_URL`: RSS 2.0 or Atom; null for the news that come with the service. */
  readonly newsFeedUrl: string | null;
}

type Environment = Readonly<Record<string, unknown>>;

const DEFAULT_SHORTENER = 'https://api-ssl.bitly.com';
const SHORTEN_PATH = '/v4/shorten';

function text(env: Environment, name: string): string | null {
  const value = env[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function address(name: string, value: string): URL {
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === '') return url;
  throw new Failure('internal', `Expected an http address without credentials for ${name}, got another value.`);
}

function origin(value: string): string {
  const url = address('LINK_ORIGINS', value);
  if (url.pathname === '/' && url.search === '') return url.origin;
  throw new Failure('internal', `Expected origins like https://helioedge.example for LINK_ORIGINS, got ${value}.`);
}

/** The token goes nowhere unencrypted but to this machine. */
function shortener(env: Environment): ShortenerSettings | null {
  const token = text(env, 'SHORTENER_TOKEN');
  if (token === null) return null;
  const base = address('SHORTENER_URL', text(env, 'SHORTENER_URL') ?? DEFAULT_SHORTENER);
  if (base.protocol !== 'https:' && !['127.0.0.1', 'localhost', '[::1]'].includes(base.hostname))
    throw new Failure('internal', 'Expected an https address for SHORTENER_URL, got another one.');
  const url = base.pathname.endsWith('/shorten') ? base.href : base.href.replace(/\/+$/, '') + SHORTEN_PATH;
  return { url, token };
}

/**
 * Settings from environment variables.
 * @throws Failure that names the variable and what it has to be, never a secret
 */
export function readLinkSettings(env: Environment): LinkSettings {
  const origins =
    text(env, 'LINK_ORIGINS')
      ?.split(',')
      .filter((item) => item.trim() !== '') ?? [];
  const feed = text(env, 'NEWS_FEED_URL');
  return {
    origins: origins.map((item) => origin(item.trim())),
    shortener: shortener(env),
    newsFeedUrl: feed === null ? null : address('NEWS_FEED_URL', feed).href,
  };
}
