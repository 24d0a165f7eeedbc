// Settings of sharing movies with the video host.
import { httpsAddress, optionalText, readVariables, secret, type Variables } from '../variable.ts';

/** Sealed rows could be opened with a guessed key. */
const MIN_KEY_CHARACTERS = 32;

const hostAddress = (byDefault: string) => httpsAddress.transform(({ href }) => href).prefault(byDefault);

export const SHARING_VARIABLES = {
  publicOrigin: {
    name: 'PUBLIC_ORIGIN',
    type: httpsAddress
      .transform(({ origin }) => origin)
      .nullable()
      .default(null),
    unit: 'https origin',
    description:
      'Public origin of the service, for the addresses in files of movies, in shared videos and in redirects of the video host.',
    unset: 'that of the request',
    isRedacted: true,
  },
  sessionKey: {
    name: 'SESSION_KEY',
    type: secret(MIN_KEY_CHARACTERS),
    unit: `at least ${MIN_KEY_CHARACTERS} characters`,
    description: 'Key that encrypts the access tokens of users of the video host, and the secrets of webhooks.',
    unset: 'nothing can be shared, and no webhook be registered',
    isSecret: true,
    isChosenByStart: true,
  },
  clientId: {
    name: 'VIDEO_HOST_CLIENT_ID',
    type: optionalText,
    description: 'OAuth client id of the service at the video host.',
    unset: 'nothing can be shared',
    isSecret: true,
  },
  clientSecret: {
    name: 'VIDEO_HOST_CLIENT_SECRET',
    type: optionalText,
    description: 'OAuth client secret of the service at the video host.',
    unset: 'nothing can be shared',
    isSecret: true,
  },
  authorisationUrl: {
    name: 'VIDEO_HOST_AUTH_URL',
    type: hostAddress('https://accounts.google.com/o/oauth2/v2/auth'),
    unit: 'https address',
    description: 'Page of the video host on which users authorise an upload.',
    isRedacted: true,
  },
  tokenUrl: {
    name: 'VIDEO_HOST_TOKEN_URL',
    type: hostAddress('https://oauth2.googleapis.com/token'),
    unit: 'https address',
    description: 'OAuth token endpoint of the video host.',
    isRedacted: true,
  },
  uploadUrl: {
    name: 'VIDEO_HOST_UPLOAD_URL',
    type: hostAddress('https://www.googleapis.com/upload/youtube/v3/videos'),
    unit: 'https address',
    description: 'Resumable upload endpoint of the video host.',
    isRedacted: true,
  },
  oembedUrl: {
    name: 'VIDEO_HOST_OEMBED_URL',
    type: hostAddress('https://www.youtube.com/oembed'),
    unit: 'https address',
    description: 'oEmbed endpoint of the video host, which tells without credentials whether a video exists.',
    isRedacted: true,
  },
  watchUrl: {
    name: 'VIDEO_HOST_WATCH_URL',
    type: hostAddress('https://www.youtube.com/watch?v='),
    unit: 'https address',
    description: 'Address of a video up to its id.',
    isRedacted: true,
  },
} as const satisfies Variables;

/** Endpoints of the video host, and the credentials of the service there. */
export interface VideoHostSettings {
  readonly authorisationUrl: string;
  readonly tokenUrl: string;
  readonly uploadUrl: string;
  readonly oembedUrl: string;
  readonly watchUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SharingSettings {
  readonly publicOrigin: string | null;
  readonly watchUrl: string;
  /** Null unless VIDEO_HOST_CLIENT_ID, VIDEO_HOST_CLIENT_SECRET and SESSION_KEY are set. */
  readonly videoHost: (VideoHostSettings & { readonly sessionKey: string }) | null;
}

/** @throws Failure that names the variable and what it has to be, never its value */
export function readSharingSettings(env: object): SharingSettings {
  const { publicOrigin, sessionKey, clientId, clientSecret, ...addresses } = readVariables(SHARING_VARIABLES, env);
  const { watchUrl } = addresses;
  if (clientId === null || clientSecret === null || sessionKey === null) return { publicOrigin, watchUrl, videoHost: null };
  return { publicOrigin, watchUrl, videoHost: { ...addresses, clientId, clientSecret, sessionKey } };
}
