import { withoutEndSlash } from '../util/url.ts';
import { address, httpAddress, httpsAddress, list, optional, optionalText, readVariables, type Variables } from './variable.ts';

const origin = address(
  'origins like https://helioedge.example separated by commas',
  ({ protocol, pathname, search }) => /^https?:$/.test(protocol) && pathname === '/' && search === '',
).transform((url) => url.origin);

export const LINK_VARIABLES = {
  LINK_ORIGINS: {
    type: list(origin).default([]),
    description: 'Origins, besides that of the service, to which short links may lead.',
    isRedacted: true,
  },
  SHORTENER_URL: {
    type: httpsAddress.prefault('https://api-ssl.bitly.com'),
    description: 'Link shortener that speaks version 4 of the API of Bitly. Used when SHORTENER_TOKEN is set.',
    isRedacted: true,
  },
  SHORTENER_TOKEN: {
    type: optionalText,
    description: 'Access token of the link shortener.',
    unset: 'the service shortens links itself',
    isSecret: true,
  },
  NEWS_FEED_URL: {
    type: optional(httpAddress.transform(({ href }) => href)),
    description: 'RSS 2.0 or Atom feed of a blog, for getNewsFeed.',
    unset: 'the built-in news',
    isRedacted: true,
  },
} as const satisfies Variables;

/** `shortener`: the address to which links are posted; null without a token. @throws Failure as `readVariables` */
export function readLinkSettings(env: object) {
  const { LINK_ORIGINS: origins, NEWS_FEED_URL: newsFeedUrl, ...shortener } = readVariables(LINK_VARIABLES, env);
  const { SHORTENER_URL: base, SHORTENER_TOKEN: token } = shortener;
  const { pathname, href } = base;
  const url = pathname.endsWith('/shorten') ? href : `${withoutEndSlash(href)}/v4/shorten`;
  return { origins, shortener: token === null ? null : { url, token }, newsFeedUrl };
}

export type ShortenerSettings = NonNullable<ReturnType<typeof readLinkSettings>['shortener']>;
