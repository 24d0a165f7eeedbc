import { z } from 'zod';
import { withoutEndSlash } from '../util/url.ts';
import { httpsAddress, optional, optionalText, readVariables, secret, type Variables } from './variable.ts';

/** Sealed rows could be opened with a guessed key. */
const MIN_KEY_CHARACTERS = 32;

const hostAddress = httpsAddress.transform(({ href }) => withoutEndSlash(href));
const REAL_HOST = 'real';

/**
 * Page on which users authorise an upload; OAuth token endpoint; resumable upload; whether a video exists; a video up to its id: of YouTube, and
 * below a host that has all of them.
 */
const ADDRESSES = {
  authorisationUrl: ['https://accounts.google.com/o/oauth2/v2/auth', '/authorise'],
  tokenUrl: ['https://oauth2.googleapis.com/token', '/token'],
  uploadUrl: ['https://www.googleapis.com/upload/youtube/v3/videos', '/upload'],
  oembedUrl: ['https://www.youtube.com/oembed', '/oembed'],
  watchUrl: ['https://www.youtube.com/watch?v=', '/watch?v='],
} as const;
const PATHS = Object.values(ADDRESSES).map(([, path]) => path);

const addressesOf = (host: string) =>
  Object.fromEntries(
    Object.entries(ADDRESSES).map(([name, [real, path]]) => [name, host === REAL_HOST ? real : host + path]),
  ) as Readonly<Record<keyof typeof ADDRESSES, string>>;

export const SHARING_VARIABLES = {
  PUBLIC_ORIGIN: {
    type: optional(httpsAddress.transform(({ origin }) => origin)),
    description:
      'Public origin of the service, for the addresses in files of movies, in shared videos and in redirects of the video host.',
    unset: 'that of the request',
    isRedacted: true,
  },
  SESSION_KEY: {
    type: secret(MIN_KEY_CHARACTERS),
    description:
      'Key that encrypts the access tokens of users of the video host and the secrets of webhooks, signs the ids of JPIP sessions, and hashes the addresses of clients in their limits.',
    unset: 'nothing can be shared, no webhook be registered, and the token of the first operator signs and hashes',
    isSecret: true,
    isChosenByStart: true,
  },
  VIDEO_HOST_CLIENT_ID: {
    type: optionalText,
    description: 'OAuth client id of the service at the video host.',
    unset: 'nothing can be shared',
    isSecret: true,
  },
  VIDEO_HOST_CLIENT_SECRET: {
    type: optionalText,
    description: 'OAuth client secret of the service at the video host.',
    unset: 'nothing can be shared',
    isSecret: true,
  },
  VIDEO_HOST: {
    type: z.union([z.literal(REAL_HOST), hostAddress], 'an https address without credentials').default(REAL_HOST),
    description: `Address of a video host in place of YouTube, with \`${PATHS.join('`, `')}\` below it.`,
    isRedacted: true,
    isInternal: true,
  },
} as const satisfies Variables;

/** `videoHost`: null unless VIDEO_HOST_CLIENT_ID, VIDEO_HOST_CLIENT_SECRET and SESSION_KEY are set. @throws Failure as `readVariables` */
export function readSharingSettings(env: object) {
  const settings = readVariables(SHARING_VARIABLES, env);
  const { PUBLIC_ORIGIN: publicOrigin, SESSION_KEY: sessionKey, VIDEO_HOST: videoHost } = settings;
  const { VIDEO_HOST_CLIENT_ID: clientId, VIDEO_HOST_CLIENT_SECRET: clientSecret } = settings;
  const addresses = addressesOf(videoHost);
  const { watchUrl } = addresses;
  const isSet = clientId !== null && clientSecret !== null && sessionKey !== null;
  return { publicOrigin, sessionKey, watchUrl, videoHost: isSet ? { ...addresses, clientId, clientSecret } : null };
}

export type SharingSettings = ReturnType<typeof readSharingSettings>;
/** Endpoints of the video host, and the credentials of the service there. */
export type VideoHostSettings = NonNullable<SharingSettings['videoHost']>;
