// The authorization code flow (RFC 6749) with PKCE (RFC 7636).
import * as oauth from 'oauth4webapi';
import type { VideoHostSettings } from '../../config/settings/sharing.ts';
import { type HostErrorReason, VideoHostError } from '../../domain/sharing/host-error.ts';
import type { Grant, HostAuthority } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { isLoopback } from '../../util/url.ts';
import { type Fetch, hostRequest } from './host-request.ts';

/** Permits uploads only: no reading, changing or deleting. */
const SCOPE = 'https://www.googleapis.com/auth/youtube.upload';

/** Lifetime of a token without `expires_in`, which RFC 6749, section 5.1 only recommends. */
const DEFAULT_LIFETIME_SECONDS = 600;

function failureOf(error: unknown, invalidGrant: HostErrorReason): VideoHostError {
  if (error instanceof VideoHostError) return error;
  if (error instanceof oauth.AuthorizationResponseError) return new VideoHostError('not-granted');
  if (error instanceof oauth.ResponseBodyError) {
    return new VideoHostError(error.error === 'invalid_grant' ? invalidGrant : 'refused');
  }
  return new VideoHostError('unavailable');
}

export class VideoHostAuthority implements HostAuthority {
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #authentication: oauth.ClientAuth;
  readonly #options: oauth.TokenEndpointRequestOptions;
  readonly #now: Clock;

  constructor({ authorisationUrl, tokenUrl, clientId, clientSecret }: VideoHostSettings, fetch: Fetch, now: Clock) {
    const { origin } = new URL(authorisationUrl);
    this.#server = { issuer: origin, authorization_endpoint: authorisationUrl, token_endpoint: tokenUrl };
    this.#client = { client_id: clientId };
    this.#authentication = oauth.ClientSecretPost(clientSecret);
    this.#options = {
      [oauth.customFetch]: (url, init) => hostRequest(fetch, url, init as RequestInit),
      [oauth.allowInsecureRequests]: isLoopback(new URL(tokenUrl)),
    };
    this.#now = now;
  }

  async newChallenge(): Promise<{ verifier: string; challenge: string }> {
    const verifier = oauth.generateRandomCodeVerifier();
    return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
  }

  /** `prompt=consent` makes the host ask the user each time, so that following a link cannot publish a video. */
  authorisationUrl({ state, challenge, redirectUri }: { state: string; challenge: string; redirectUri: string }): string {
    const url = new URL(this.#server.authorization_endpoint!);
    const parameters = {
      response_type: 'code',
      client_id: this.#client.client_id,
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
  }

  /** `callback.state` has been verified by the caller, so it is accepted as it is here. */
  async exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    let parameters: URLSearchParams;
    try {
      parameters = oauth.validateAuthResponse(server, client, callback, callback.get('state') ?? oauth.expectNoState);
    } catch {
      throw new VideoHostError('not-granted');
    }
    try {
      const [authentication, options] = [this.#authentication, this.#options];
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options,
      );
      return this.#grantOf(await oauth.processAuthorizationCodeResponse(server, client, response), null);
    } catch (error) {
      throw failureOf(error, 'not-granted');
    }
  }

  async refresh(refreshToken: string): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    try {
      const response = await oauth.refreshTokenGrantRequest(server, client, this.#authentication, refreshToken, this.#options);
      return this.#grantOf(await oauth.processRefreshTokenResponse(server, client, response), refreshToken);
    } catch (error) {
      throw failureOf(error, 'revoked');
    }
  }

  #grantOf(token: oauth.TokenEndpointResponse, previousRefreshToken: string | null): Grant {
    const lifetimeSeconds = token.expires_in ?? DEFAULT_LIFETIME_SECONDS;
    return {
      accessToken: token.access_token,
      expiresAtMs: this.#now() + lifetimeSeconds * 1000,
      refreshToken: token.refresh_token ?? previousRefreshToken,
    };
  }
}
