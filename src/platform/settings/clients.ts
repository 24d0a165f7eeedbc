import { CLIENT_BITS, rangeBits } from '../util/networks.ts';
import { areDistinct, MIN_TOKEN_CHARACTERS } from './service.ts';
import { list, readBy, type ValuesOf, type Variables, wholeNumber } from './variable.ts';

const MAX_FACTOR = 1000;
const TRUSTED = `\`<network>/<bits>=<factor>\` separated by commas, with at most ${CLIENT_BITS[6]} bits of IPv6, and factors from 1 to ${MAX_FACTOR}`;
const TOKENS = `\`<name>:<token>:<factor>\` separated by commas, with different names and tokens, tokens of at least ${MIN_TOKEN_CHARACTERS} characters and factors from 1 to ${MAX_FACTOR}`;

const factor = wholeNumber(1, MAX_FACTOR);

/** The parts of a text that a pattern names, with a factor. */
const withFactor = <Part>(pattern: RegExp, expected: string, part: (groups: Readonly<Record<string, string>>) => Part | null) =>
  readBy((text) => {
    const groups = pattern.exec(text)?.groups ?? {};
    const [found, times] = [part(groups), factor.safeParse(groups.factor)];
    return found !== null && times.success ? { ...found, factor: times.data } : null;
  }, expected);

const trustedNetwork = withFactor(/^(?<range>[^=]+)=(?<factor>\d+)$/, TRUSTED, ({ range = '' }) => {
  const bits = rangeBits(range);
  return bits === null ? null : { bits };
});

const clientToken = withFactor(
  /^(?<name>[a-z][a-z0-9_-]{0,31}):(?<token>[^\s:]+):(?<factor>\d+)$/,
  TOKENS,
  ({ name = '', token = '' }) => (token.length < MIN_TOKEN_CHARACTERS ? null : { name, token }),
);

export const CLIENT_VARIABLES = {
  TRUSTED_NETWORKS: {
    type: list(trustedNetwork, TRUSTED).default([]),
    description:
      'Networks of campuses, mirrors or programs of your own, whose addresses have so many times each rate limit. The largest factor counts. `npm start` trusts the machine itself.',
    unset: 'none',
  },
  CLIENT_TOKENS: {
    type: list(clientToken, TOKENS).refine(areDistinct, TOKENS).default([]),
    description:
      'Tokens of clients that have limits of their own, so many times those of an address, wherever they are: `Authorization: Bearer <token>`.',
    unset: 'none',
    isSecret: true,
  },
  NETWORK_FACTOR: {
    type: factor.default(8),
    description: 'Limit of all addresses of a network (/24 of IPv4, /48 of IPv6), in times that of one address.',
    isInternal: true,
  },
  LOCATION_FACTOR: {
    type: factor.default(32),
    description:
      'Limit of all clients of a location of the platform, in times that of one address, and as much for those with a factor. Above it only the edge cache answers; the rest is 503.',
  },
} as const satisfies Variables;

export type ClientSettings = ValuesOf<typeof CLIENT_VARIABLES>;
