// The video host: authorization code flow (RFC 6749) with PKCE (RFC 7636), and resumable uploads of Google APIs.
import * as oauth from 'oauth4webapi';
import { responseBody } from '../../platform/http/bounded-fetch.ts';
import { SHARING } from '../../platform/limits/sharing.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import type { VideoHostSettings } from '../../platform/settings/sharing.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { isLoopback } from '../../platform/util/url.ts';
import { type Grant, type HostErrorReason, type UploadState, type VideoDetails, VideoHostError } from './share.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The complete response, of any status. @throws VideoHostError `unavailable` without one in time, and for one over the byte limit */
async function hostRequest(fetch: Fetch, url: string, init: RequestInit, timeoutMs: number = SHARING.responseMs) {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const body = await responseBody(response, new URL(url), { signal, maxBytes: SHARING.responseBytes });
    return new Response(body.length > 0 ? body : null, { status: response.status, headers: response.headers });
  } catch {
    throw new VideoHostError('unavailable');
  }
}

/** The JSON body of a response; null for other formats. */
const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => null);

/** Permits uploads only: no reading, changing or deleting. */
const SCOPE = 'https://www.googleapis.com/auth/youtube.upload';

/** Lifetime of a token without `expires_in`, which RFC 6749, section 5.1 only recommends. */
const DEFAULT_LIFETIME_SECONDS = 600;

function failureOf(error: unknown, invalidGrant: HostErrorReason): VideoHostError {
  if (error instanceof VideoHostError) return error;
  if (error instanceof oauth.AuthorizationResponseError) return new VideoHostError('not-granted');
  if (error instanceof oauth.ResponseBodyError)
    return new VideoHostError(error.error === 'invalid_grant' ? invalidGrant : 'refused');
  return new VideoHostError('unavailable');
}

/** OAuth at the video host. `exchange` and `refresh` throw VideoHostError. */
function authorityOf({ authorisationUrl, tokenUrl, clientId, clientSecret }: VideoHostSettings, fetch: Fetch, now: Clock) {
  const { origin: issuer } = new URL(authorisationUrl);
  const server = { issuer, authorization_endpoint: authorisationUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const authentication = oauth.ClientSecretPost(clientSecret);
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: (url, init) => hostRequest(fetch, url, init as RequestInit),
    [oauth.allowInsecureRequests]: isLoopback(new URL(tokenUrl)),
  };
  const grantOf = (token: oauth.TokenEndpointResponse, previousRefreshToken: string | null): Grant => ({
    accessToken: token.access_token,
    expiresAtMs: now() + (token.expires_in ?? DEFAULT_LIFETIME_SECONDS) * SECOND_MS,
    refreshToken: token.refresh_token ?? previousRefreshToken,
  });
  return {
    /** A new pair for PKCE, method S256. */
    async newChallenge(): Promise<{ verifier: string; challenge: string }> {
      const verifier = oauth.generateRandomCodeVerifier();
      return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
    },

    /** `prompt=consent` makes the host ask the user each time, so that following a link cannot publish a video. */
    authorisationUrl({ state, challenge, redirectUri }: { state: string; challenge: string; redirectUri: string }): string {
      const url = new URL(authorisationUrl);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        access_type: 'offline',
        prompt: 'consent',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    /** `callback.state` has been verified by the caller, so it is accepted as it is here. */
    async exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant> {
      let parameters: URLSearchParams;
      try {
        parameters = oauth.validateAuthResponse(server, client, callback, callback.get('state') ?? oauth.expectNoState);
      } catch {
        throw new VideoHostError('not-granted');
      }
      try {
        const given = [parameters, redirectUri, verifier, options] as const;
        const response = await oauth.authorizationCodeGrantRequest(server, client, authentication, ...given);
        return grantOf(await oauth.processAuthorizationCodeResponse(server, client, response), null);
      } catch (error) {
        throw failureOf(error, 'not-granted');
      }
    },

    async refresh(refreshToken: string): Promise<Grant> {
      try {
        const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options);
        return grantOf(await oauth.processRefreshTokenResponse(server, client, response), refreshToken);
      } catch (error) {
        throw failureOf(error, 'revoked');
      }
    },
  };
}

const MEDIA_TYPE = 'video/mp4';
/** "Science & Technology". */
const CATEGORY = '28';
const RESUME_INCOMPLETE = 308;
const VIDEO_ID = /^[\w-]{1,64}$/;
const RECEIVED = /^bytes=0-(\d{1,15})$/;

/** Errors by `reason` in the body; errors with other reasons are mapped by status. */
const REASONS: Readonly<Record<string, HostErrorReason>> = {
  quotaExceeded: 'quota',
  dailyLimitExceeded: 'quota',
  uploadLimitExceeded: 'quota',
  rateLimitExceeded: 'unavailable',
  userRateLimitExceeded: 'unavailable',
  youtubeSignupRequired: 'refused',
};

const STATUSES: Readonly<Record<number, HostErrorReason>> = {
  400: 'refused',
  401: 'token-refused',
  403: 'refused',
  404: 'upload-lost',
  410: 'upload-lost',
};

type ErrorBody = { readonly error?: { readonly errors?: readonly { readonly reason?: unknown }[] } };

async function refusal(response: Response): Promise<VideoHostError> {
  const body = (await jsonOf(response)) as ErrorBody | null;
  const reason = body?.error?.errors?.[0]?.reason;
  const known = typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return new VideoHostError(known ?? STATUSES[response.status] ?? 'unavailable');
}

async function stateOf(response: Response, totalBytes: number): Promise<UploadState> {
  if (response.ok) {
    const { id: videoId } = ((await jsonOf(response)) ?? {}) as { id?: unknown };
    if (typeof videoId === 'string' && VIDEO_ID.test(videoId)) return { videoId };
    throw new VideoHostError('unavailable');
  }
  if (response.status !== RESUME_INCOMPLETE) throw await refusal(response);
  const range = response.headers.get('Range');
  if (range === null) return { sentBytes: 0 };
  const sentBytes = Number(RECEIVED.exec(range)?.[1] ?? Number.NaN) + 1;
  // With all bytes and no video yet, the host is still at work.
  if (!(sentBytes < totalBytes)) throw new VideoHostError('unavailable');
  return { sentBytes };
}

/** Every method throws VideoHostError. */
function uploadsAt(uploadUrl: string, fetch: Fetch) {
  const put = async (address: string, accessToken: string, totalBytes: number, init: RequestInit, timeoutMs?: number) => {
    const headers = { Authorization: `Bearer ${accessToken}`, ...init.headers };
    return stateOf(await hostRequest(fetch, address, { ...init, method: 'PUT', headers }, timeoutMs), totalBytes);
  };
  return {
    /** Starts an upload; returns the address for its bytes. Accepts one of the host's own origin only. */
    async begin(accessToken: string, { title, description, tags }: VideoDetails, bytes: number): Promise<string> {
      const url = new URL(uploadUrl);
      url.searchParams.set('uploadType', 'resumable');
      url.searchParams.set('part', 'snippet,status');
      const headers = {
        Authorization: `Bearer ${accessToken}`,
        'Content-Type': 'application/json; charset=UTF-8',
        'X-Upload-Content-Length': String(bytes),
        'X-Upload-Content-Type': MEDIA_TYPE,
      };
      const status = { privacyStatus: 'public', embeddable: true, selfDeclaredMadeForKids: false };
      const body = JSON.stringify({ snippet: { title, description, tags, categoryId: CATEGORY }, status });
      const response = await hostRequest(fetch, url.href, { method: 'POST', headers, body });
      if (!response.ok) throw await refusal(response);
      const location = response.headers.get('Location') ?? '';
      if (!URL.canParse(location) || new URL(location).origin !== url.origin) throw new VideoHostError('unavailable');
      return location;
    },

    state: (address: string, accessToken: string, totalBytes: number): Promise<UploadState> =>
      put(address, accessToken, totalBytes, { headers: { 'Content-Range': `bytes */${totalBytes}` } }),

    send(
      address: string,
      accessToken: string,
      { bytes, offset, totalBytes }: { bytes: Uint8Array; offset: number; totalBytes: number },
    ): Promise<UploadState> {
      const range = `bytes ${offset}-${offset + bytes.length - 1}/${totalBytes}`;
      const headers = { 'Content-Type': MEDIA_TYPE, 'Content-Range': range };
      return put(address, accessToken, totalBytes, { headers, body: bytes as BodyInit }, SHARING.chunkMs);
    },
  };
}

/** Availability by the status of oEmbed: 401 is an available video that may not be embedded, 403 a private one. */
const AVAILABILITY: Readonly<Record<number, boolean>> = { 200: true, 401: true, 403: false, 404: false };

/** YouTube, or a host with the same protocols, over HTTP. */
export function videoHost(settings: VideoHostSettings, now: Clock, fetch: Fetch = (url, init) => globalThis.fetch(url, init)) {
  return {
    authority: authorityOf(settings, fetch, now),
    uploads: uploadsAt(settings.uploadUrl, fetch),

    /** @throws VideoHostError when the host does not tell */
    async isAvailable(videoId: string): Promise<boolean> {
      const url = new URL(settings.oembedUrl);
      url.searchParams.set('format', 'json');
      url.searchParams.set('url', settings.watchUrl + encodeURIComponent(videoId));
      const { status } = await hostRequest(fetch, url.href, { method: 'GET' });
      const isAvailable = AVAILABILITY[status];
      if (isAvailable === undefined) throw new VideoHostError('unavailable');
      return isAvailable;
    },
  };
}

export type VideoHost = ReturnType<typeof videoHost>;
