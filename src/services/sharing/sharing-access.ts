// Browser sessions of sharing and what their users granted us. The cookie holds a random token, the row its hash; grants are
// sealed.
import { SHARING } from '../../config/limits/sharing.ts';
import type { Grant, SharingSession, SharingSessions } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { toBase64Url } from '../../util/base64.ts';
import { sha256Hex } from '../../util/digest.ts';
import type { SecretBox } from './secret-box.ts';

const TOKEN_BYTES = 32;

/** A secret that nobody guesses: 256 random bits in base64url. */
export function randomToken(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/** True while something can be done with a grant. */
export function isUsable({ expiresAtMs, refreshToken }: Grant, nowMs: number): boolean {
  return refreshToken !== null || expiresAtMs > nowMs + SHARING.tokenMarginMs;
}

const sessionPlace = (hash: string) => `session ${hash}`;
const uploadPlace = (movieId: string) => `upload ${movieId}`;

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

  /** The session whose cookie this is; null for none and for one that ends within `aheadMs`. */
  async find(token: string | null, aheadMs = 0): Promise<SharingSession | null> {
    if (token === null) return null;
    return this.#ports.sessions.find(await sha256Hex(token), this.#ports.clock() + aheadMs);
  }

  async open(): Promise<{ token: string; session: SharingSession }> {
    const token = randomToken();
    const expiresAtMs = this.#ports.clock() + SHARING.newSessionMs;
    const session = { hash: await sha256Hex(token), expiresAtMs, sealedGrant: null };
    await this.#ports.sessions.create(session);
    return { token, session };
  }

  /** What the user of a session granted us; null when that is nothing, is over, or was sealed with a former key. */
  async grantOf({ hash, sealedGrant }: SharingSession): Promise<Grant | null> {
    const grant = sealedGrant === null ? null : await this.#opened(sealedGrant, sessionPlace(hash));
    return grant && isUsable(grant, this.#ports.clock()) ? grant : null;
  }

  async keepGrant(sessionHash: string, grant: Grant): Promise<void> {
    const { sessions, box, clock } = this.#ports;
    const sealed = await box.seal(JSON.stringify(grant), sessionPlace(sessionHash));
    await sessions.keepGrant(sessionHash, sealed, clock() + SHARING.sessionMs);
  }

  /** Deletes the grant of a session if it is still this one. */
  async dropGrant(sessionHash: string, dropped: Grant): Promise<void> {
    const { sessions, clock } = this.#ports;
    const session = await sessions.find(sessionHash, clock());
    const kept = session && (await this.grantOf(session));
    const secret = ({ refreshToken, accessToken }: Grant) => refreshToken ?? accessToken;
    if (kept && secret(kept) === secret(dropped)) await sessions.dropGrant(sessionHash);
  }

  sealForUpload(movieId: string, grant: Grant): Promise<string> {
    return this.#ports.box.seal(JSON.stringify(grant), uploadPlace(movieId));
  }

  openForUpload(movieId: string, sealed: string): Promise<Grant | null> {
    return this.#opened(sealed, uploadPlace(movieId));
  }

  async #opened(sealed: string, place: string): Promise<Grant | null> {
    const text = await this.#ports.box.open(sealed, place);
    return text === null ? null : (JSON.parse(text) as Grant);
  }
}
