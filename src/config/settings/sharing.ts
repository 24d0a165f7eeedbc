// Settings of sharing movies with the video host.
import { Failure } from '../../domain/errors.ts';

/** Where the video host is and who we are to it. */
export interface VideoHostSettings {
  readonly authorisationUrl: string;
  readonly tokenUrl: string;
  readonly uploadUrl: string;
  /** Says whether a video is there, without anybody's authority: oEmbed. */
  readonly oembedUrl: string;
  /** Address of a video up to its id. */
  readonly watchUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SharingSettings {
  /** `PUBLIC_ORIGIN`: as `https://helioedge.example`. Unset: that of the request. */
  readonly publicOrigin: string | null;
  /** Address of a video at the host up to its id. */
  readonly watchUrl: string;
  /** Null unless VIDEO_HOST_CLIENT_ID, VIDEO_HOST_CLIENT_SECRET and SESSION_KEY are set: nothing can be shared then. */
  readonly videoHost: (VideoHostSettings & { readonly sessionKey: string }) | null;
}

const DEFAULT_URLS = {
  VIDEO_HOST_AUTH_URL: 'https://accounts.google.com/o/oauth2/v2/auth',
  VIDEO_HOST_TOKEN_URL: 'https://oauth2.googleapis.com/token',
  VIDEO_HOST_UPLOAD_URL: 'https://www.googleapis.com/upload/youtube/v3/videos',
  VIDEO_HOST_OEMBED_URL: 'https://www.youtube.com/oembed',
  VIDEO_HOST_WATCH_URL: 'https://www.youtube.com/watch?v=',
} as const;

/** A shorter one could be guessed from the rows. */
const MIN_KEY_CHARACTERS = 32;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

type Environment = Readonly<Record<string, unknown>>;

function text(env: Environment, name: string): string | null {
  const value = env[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** True for the addresses of this machine: the only ones that are asked without encryption. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.includes(hostname);
}

function checkedUrl(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isSafe = url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)));
  if (isSafe && url.username === '' && url.password === '' && url.hash === '') return url;
  throw new Failure('internal', `Expected an https address without credentials for ${name}, got another value.`);
}

function address(env: Environment, name: keyof typeof DEFAULT_URLS): string {
  return checkedUrl(name, text(env, name) ?? DEFAULT_URLS[name]).href;
}

function sessionKey(env: Environment): string | null {
  const key = text(env, 'SESSION_KEY');
  if (key !== null && key.length < MIN_KEY_CHARACTERS) {
    throw new Failure('internal', `Expected at least ${MIN_KEY_CHARACTERS} characters for SESSION_KEY, got ${key.length}.`);
  }
  return key;
}

/**
 * Settings from environment variables.
 * @throws Failure that names the variable and what it has to be, never its value
 */
export function readSharingSettings(env: Environment): SharingSettings {
  const origin = text(env, 'PUBLIC_ORIGIN');
  const publicOrigin = origin === null ? null : checkedUrl('PUBLIC_ORIGIN', origin).origin;
  const clientId = text(env, 'VIDEO_HOST_CLIENT_ID');
  const clientSecret = text(env, 'VIDEO_HOST_CLIENT_SECRET');
  const key = sessionKey(env);
  const watchUrl = address(env, 'VIDEO_HOST_WATCH_URL');
  if (clientId === null || clientSecret === null || key === null) return { publicOrigin, watchUrl, videoHost: null };
  const videoHost = {
    authorisationUrl: address(env, 'VIDEO_HOST_AUTH_URL'),
    tokenUrl: address(env, 'VIDEO_HOST_TOKEN_URL'),
    uploadUrl: address(env, 'VIDEO_HOST_UPLOAD_URL'),
    oembedUrl: address(env, 'VIDEO_HOST_OEMBED_URL'),
    watchUrl,
    clientId,
    clientSecret,
    sessionKey: key,
  };
  return { publicOrigin, watchUrl, videoHost };
}
