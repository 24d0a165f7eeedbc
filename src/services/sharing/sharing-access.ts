// Browser sessions of sharing, and the grants of their users. The cookie holds a random token, the row its hash; grants are stored
// sealed.
import { SHARING } from '../../config/limits/sharing.ts';
import type { Grant, SharingSession, SharingSessions } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { toBase64Url } from '../../util/base64.ts';
import { sha256Hex } from '../../util/digest.ts';
import type { SecretBox } from './secret-box.ts';

const TOKEN_BYTES = 32;

/** 256 random bits in base64url. */
export function randomToken(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/** Whether a grant has a valid access token or can be refreshed. */
function isUsable({ expiresAtMs, refreshToken }: Grant, nowMs: number): boolean {
  return refreshToken !== null || expiresAtMs > nowMs + SHARING.tokenMarginMs;
}

const sessionContext = (hash: string) => `session ${hash}`;
const uploadContext = (movieId: string) => `upload ${movieId}`;

interface Ports {
  readonly sessions: SharingSessions;
  readonly box: SecretBox;
  readonly clock: Clock;
}

export class SharingAccess {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The session of a token; null for an unknown one and one that expires within `marginMs`. */
  async find(token: string | null, marginMs = 0): Promise<SharingSession | null> {
    if (token === null) return null;
    return this.#ports.sessions.find(await sha256Hex(token), this.#ports.clock() + marginMs);
  }

  async open(): Promise<{ token: string; session: SharingSession }> {
    const token = randomToken();
    const expiresAtMs = this.#ports.clock() + SHARING.newSessionMs;
    const session = { hash: await sha256Hex(token), expiresAtMs, sealedGrant: null };
    await this.#ports.sessions.create(session);
    return { token, session };
  }

  /** The grant of a session; null without one, and for one that has ended or was sealed with another key. */
  async grantOf({ hash, sealedGrant }: SharingSession): Promise<Grant | null> {
    const grant = sealedGrant === null ? null : await this.#unseal(sealedGrant, sessionContext(hash));
    return grant && isUsable(grant, this.#ports.clock()) ? grant : null;
  }

  async keepGrant(sessionHash: string, grant: Grant): Promise<void> {
    const { sessions, box, clock } = this.#ports;
    const sealed = await box.seal(JSON.stringify(grant), sessionContext(sessionHash));
    await sessions.keepGrant(sessionHash, sealed, clock() + SHARING.sessionMs);
  }

  /** Deletes the grant of a session unless it has been replaced. */
  async dropGrant(sessionHash: string, dropped: Grant): Promise<void> {
    const { sessions, clock } = this.#ports;
    const session = await sessions.find(sessionHash, clock());
    const current = session && (await this.grantOf(session));
    const secret = ({ refreshToken, accessToken }: Grant) => refreshToken ?? accessToken;
    if (current && secret(current) === secret(dropped)) await sessions.dropGrant(sessionHash);
  }

  sealForUpload(movieId: string, grant: Grant): Promise<string> {
    return this.#ports.box.seal(JSON.stringify(grant), uploadContext(movieId));
  }

  openForUpload(movieId: string, sealed: string): Promise<Grant | null> {
    return this.#unseal(sealed, uploadContext(movieId));
  }

  async #unseal(sealed: string, context: string): Promise<Grant | null> {
    const text = await this.#ports.box.open(sealed, context);
    return text === null ? null : (JSON.parse(text) as Grant);
  }
}
