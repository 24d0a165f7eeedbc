// Browser sessions of sharing: the cookie has a random token, the row its hash; grants are sealed by AES-GCM with a key of HKDF.
import { decodeBase64Url, encodeBase64Url } from 'hono/utils/encode';
import { SHARING } from '../../platform/limits/sharing.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { concatenated, sha256Hex } from '../../platform/util/bytes.ts';
import { Service } from '../../platform/util/service.ts';
import type { D1SharingSessions, SharingSession } from './d1-sharing-sessions.ts';
import type { Grant } from './share.ts';

/** The length that AES-GCM recommends; random vectors are safe for 2^32 messages per key. */
const IV_BYTES = 12;
const PURPOSE = 'helioedge sharing 1';

/** Without padding (RFC 4648, section 5). */
const base64Url = ({ buffer }: Uint8Array): string => encodeBase64Url(buffer).replaceAll('=', '');

async function keyOf(secret: string): Promise<CryptoKey> {
  const text = new TextEncoder();
  const material = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: text.encode(PURPOSE) };
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

export function secretBox(secret: string) {
  let key: Promise<CryptoKey> | undefined;
  const derived = () => (key ??= keyOf(secret));
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    ...{ name: 'AES-GCM', iv },
    additionalData: new TextEncoder().encode(context),
  });
  return {
    /** @param context Owner and purpose of the secret; it can be opened with the same context only */
    async seal(plain: string, context: string): Promise<string> {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const bytes = new TextEncoder().encode(plain);
      const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(iv, context), await derived(), bytes));
      return base64Url(concatenated([iv, sealed]));
    },

    /** Null for text that was sealed with another key or context, or altered. */
    async open(sealed: string, context: string): Promise<string | null> {
      try {
        const bytes = decodeBase64Url(sealed);
        const [iv, body] = [bytes.slice(0, IV_BYTES), bytes.slice(IV_BYTES)];
        return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm(iv, context), await derived(), body));
      } catch {
        return null;
      }
    },
  };
}

export type SecretBox = ReturnType<typeof secretBox>;

const TOKEN_BYTES = 32;

export const randomToken = (): string => base64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));

const isUsable = ({ expiresAtMs, refreshToken }: Grant, nowMs: number): boolean =>
  refreshToken !== null || expiresAtMs > nowMs + SHARING.tokenMarginMs;

const sessionContext = (hash: string) => `session ${hash}`;
const uploadContext = (movieId: string) => `upload ${movieId}`;

export class SharingAccess extends Service<{
  readonly sessions: D1SharingSessions;
  readonly box: SecretBox;
  readonly clock: Clock;
}> {
  /** The session of a token; null for an unknown one and one that expires within `marginMs`. */
  async find(token: string | null, marginMs = 0): Promise<SharingSession | null> {
    if (token === null) return null;
    return this.ports.sessions.find(await sha256Hex(token), this.ports.clock() + marginMs);
  }

  async open(): Promise<{ token: string; session: SharingSession }> {
    const token = randomToken();
    const expiresAtMs = this.ports.clock() + SHARING.newSessionMs;
    const session = { hash: await sha256Hex(token), expiresAtMs, sealedGrant: null };
    await this.ports.sessions.create(session);
    return { token, session };
  }

  /** The grant of a session; null without one, and for one that has ended or was sealed with another key. */
  async grantOf({ hash, sealedGrant }: SharingSession): Promise<Grant | null> {
    const grant = sealedGrant === null ? null : await this.#unseal(sealedGrant, sessionContext(hash));
    return grant && isUsable(grant, this.ports.clock()) ? grant : null;
  }

  async keepGrant(sessionHash: string, grant: Grant): Promise<void> {
    const sealed = await this.ports.box.seal(JSON.stringify(grant), sessionContext(sessionHash));
    await this.ports.sessions.keepGrant(sessionHash, sealed, this.ports.clock() + SHARING.sessionMs);
  }

  /** Deletes the grant of a session unless it has been replaced. */
  async dropGrant(sessionHash: string, dropped: Grant): Promise<void> {
    const { sessions, clock } = this.ports;
    const session = await sessions.find(sessionHash, clock());
    const current = session && (await this.grantOf(session));
    const secret = ({ refreshToken, accessToken }: Grant) => refreshToken ?? accessToken;
    if (current && secret(current) === secret(dropped)) await sessions.dropGrant(session);
  }

  sealForUpload(movieId: string, grant: Grant): Promise<string> {
    return this.ports.box.seal(JSON.stringify(grant), uploadContext(movieId));
  }

  openForUpload(movieId: string, sealed: string): Promise<Grant | null> {
    return this.#unseal(sealed, uploadContext(movieId));
  }

  async #unseal(sealed: string, context: string): Promise<Grant | null> {
    const text = await this.ports.box.open(sealed, context);
    return text === null ? null : (JSON.parse(text) as Grant);
  }
}
