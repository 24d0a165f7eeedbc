// Encryption of secrets at rest: AES-GCM (NIST SP 800-38D) with a key derived by HKDF from a secret of the service.
import { fromBase64Url, toBase64Url } from '../../util/base64.ts';
import { concatenated } from '../../util/bytes.ts';

/** The length that AES-GCM recommends; random vectors are safe for 2^32 messages per key. */
const IV_BYTES = 12;
const PURPOSE = 'helioedge sharing 1';

async function keyOf(secret: string): Promise<CryptoKey> {
  const text = new TextEncoder();
  const material = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: text.encode(PURPOSE) };
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

export class SecretBox {
  readonly #secret: string;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param context Owner and purpose of the secret; it can be opened with the same context only */
  async seal(plain: string, context: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const bytes = new TextEncoder().encode(plain);
    const sealed = new Uint8Array(await crypto.subtle.encrypt(this.#algorithm(iv, context), await this.#derived(), bytes));
    return toBase64Url(concatenated([iv, sealed]));
  }

  /** Null for text that was sealed with another key or context, or altered. */
  async open(sealed: string, context: string): Promise<string | null> {
    const bytes = fromBase64Url(sealed);
    if (!bytes || bytes.length <= IV_BYTES) return null;
    try {
      const algorithm = this.#algorithm(bytes.slice(0, IV_BYTES), context);
      const plain = await crypto.subtle.decrypt(algorithm, await this.#derived(), bytes.slice(IV_BYTES));
      return new TextDecoder().decode(plain);
    } catch {
      return null;
    }
  }

  #derived(): Promise<CryptoKey> {
    this.#key ??= keyOf(this.#secret);
    return this.#key;
  }

  #algorithm(iv: Uint8Array<ArrayBuffer>, context: string) {
    return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
  }
}
