// Settings of the service as a whole.
import { Failure } from '../../domain/errors.ts';
import { JPX_STYLES, type JpxStyle } from '../../domain/jpx/style.ts';

/** What an operator may set. */
export interface Settings {
  /** `JPIP_ROOT`: what JPIP addresses start with, without a slash at the end. Unset: the host and port of the request. */
  readonly jpipRoot: string | null;
  /** `ADMIN_TOKEN`: the secret of the ingest endpoint, at least 16 characters. Unset: the endpoint is closed. */
  readonly adminToken: string | null;
  /** `FAR_IMAGE_SECONDS`: how far from its time an image may be before a picture says so in X-Layers-Far. Unset: a day. */
  readonly farImageSeconds: number;
  /** `JPX_STYLE`: how JPX files are written, `standard` or `2016`. Unset: standard. */
  readonly jpxStyle: JpxStyle;
}

const JPIP_ROOT = /^jpips?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[\w./-]*)?$/;
const MIN_TOKEN_CHARACTERS = 16;
const FAR_IMAGE_SECONDS = '86400';

function text(env: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = env[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/**
 * Settings from environment variables.
 * @throws Failure that names the variable and what it has to be; the value of a secret is never in it.
 */
export function readSettings(env: Readonly<Record<string, unknown>>): Settings {
  const jpipRoot = text(env, 'JPIP_ROOT');
  if (jpipRoot !== null && !JPIP_ROOT.test(jpipRoot)) {
    throw new Failure('internal', `Expected jpip://<host>:<port> or jpips://<host>:<port> for JPIP_ROOT, got ${jpipRoot}.`);
  }
  const adminToken = text(env, 'ADMIN_TOKEN');
  if (adminToken !== null && adminToken.length < MIN_TOKEN_CHARACTERS) {
    const sentence = `Expected at least ${MIN_TOKEN_CHARACTERS} characters for ADMIN_TOKEN, got ${adminToken.length}.`;
    throw new Failure('internal', sentence);
  }
  const farImageSeconds = text(env, 'FAR_IMAGE_SECONDS') ?? FAR_IMAGE_SECONDS;
  if (!/^\d{1,12}$/.test(farImageSeconds)) {
    throw new Failure('internal', `Expected a whole number of seconds for FAR_IMAGE_SECONDS, got ${farImageSeconds}.`);
  }
  const style = text(env, 'JPX_STYLE') ?? 'standard';
  const jpxStyle = JPX_STYLES.find((known) => known === style);
  if (!jpxStyle) throw new Failure('internal', `Expected ${JPX_STYLES.join(' or ')} for JPX_STYLE, got ${style}.`);
  return { jpipRoot: jpipRoot?.replace(/\/+$/, '') ?? null, adminToken, farImageSeconds: Number(farImageSeconds), jpxStyle };
}
