// The authorization-code flow (RFC 6749) with PKCE (RFC 7636).
import * as oauth from 'oauth4webapi';
import type { VideoHostSettings } from '../../config/settings/sharing.ts';
import { type HostErrorReason, VideoHostError } from '../../domain/sharing/host-error.ts';
import type { Grant } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { isLoopback } from '../../util/url.ts';
import { ask, type Fetch } from './ask.ts';

/** To upload, and nothing else: not to see, change or delete what is there. */
const SCOPE = 'https://www.googleapis.com/auth/youtube.upload';

/** Seconds of a token whose life the host does not state (RFC 6749, section 5.1 only recommends it). */
const DEFAULT_LIFE_SECONDS = 600;

function failureOf(error: unknown, ofInvalidGrant: HostErrorReason): VideoHostError {
  if (error instanceof VideoHostError) return error;
  if (error instanceof oauth.AuthorizationResponseError) return new VideoHostError('not-granted');
  if (error instanceof oauth.ResponseBodyError) {
    return new VideoHostError(error.error === 'invalid_grant' ? ofInvalidGrant : 'refused');
  }
  return new VideoHostError('unavailable');
}

export class VideoHostAuthority {
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
      [oauth.customFetch]: (url, init) => ask(fetch, url, init as RequestInit),
      [oauth.allowInsecureRequests]: isLoopback(new URL(tokenUrl)),
    };
    this.#now = now;
  }

  async newChallenge(): Promise<{ verifier: string; challenge: string }> {
    const verifier = oauth.generateRandomCodeVerifier();
    return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
  }

  /** `prompt=consent`: the host asks the user each time, so that a link to us cannot publish in passing. */
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

  /** The state has been compared before: only its session has it. */
  async exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    let parameters: URLSearchParams;
    try {
      parameters = oauth.validateAuthResponse(server, client, callback, callback.get('state') ?? oauth.expectNoState);
    } catch {
      throw new VideoHostError('not-granted');
    }
    try {
      const authentication = this.#authentication;
      const options = this.#options;
      const answer = oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options,
      );
      return this.#grantOf(await oauth.processAuthorizationCodeResponse(server, client, await answer), null);
    } catch (error) {
      throw failureOf(error, 'not-granted');
    }
  }

  async refresh(refreshToken: string): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    try {
      const answer = oauth.refreshTokenGrantRequest(server, client, this.#authentication, refreshToken, this.#options);
      return this.#grantOf(await oauth.processRefreshTokenResponse(server, client, await answer), refreshToken);
    } catch (error) {
      throw failureOf(error, 'revoked');
    }
  }

  #grantOf(answer: oauth.TokenEndpointResponse, formerRefreshToken: string | null): Grant {
    const lifeSeconds = answer.expires_in ?? DEFAULT_LIFE_SECONDS;
    return {
      accessToken: answer.access_token,
      expiresAtMs: this.#now() + lifeSeconds * 1000,
      refreshToken: answer.refresh_token ?? formerRefreshToken,
    };
  }
}
