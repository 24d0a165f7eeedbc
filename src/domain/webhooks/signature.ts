// Secrets and signatures of webhooks after the Standard Webhooks specification 1.0 (symmetric, HMAC-SHA-256).
import { fromBase64, hmacSha256, toBase64 } from '../../util/bytes.ts';
import { SECOND_MS } from '../../util/durations.ts';
import type { SignedBody } from './webhook.ts';

/** Of the 24 to 64 that the specification allows. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

/** The headers that identify and sign a message at the time of an attempt. */
export async function signedHeaders(
  secret: string,
  { id, body }: SignedBody,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = Math.floor(nowMs / SECOND_MS);
  const signature = await hmacSha256(fromBase64(secret.slice(PREFIX.length)), `${id}.${timestamp}.${body}`);
  return {
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': `v1,${toBase64(signature)}`,
  };
}
