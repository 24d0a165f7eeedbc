// A fake video host: authorisation page, tokens with PKCE, resumable uploads, oEmbed. It stores the videos it receives, and fails on demand.
// Runs on the loopback interface, and in worlds.
import { createHash } from 'node:crypto';
import { type ServedApp, serveApp } from '../serve-app.ts';

/** Fault of the next request that sends bytes. */
export type UploadFault =
  /** The connection breaks after this many bytes of the request; the host keeps them. */
  { readonly breakAfterBytes: number } | { readonly status: number; readonly reason?: string };

export interface HostedVideo {
  readonly id: string;
  readonly bytes: Buffer;
  readonly resource: { readonly snippet: Record<string, unknown>; readonly status: Record<string, unknown> };
}

interface Code {
  readonly challenge: string;
  readonly redirectUri: string;
}

interface Session {
  readonly size: number;
  readonly resource: HostedVideo['resource'];
  received: Buffer;
  videoId: string | null;
}

const CLIENT = { id: 'client-of-tests', secret: 'secret-of-the-client-of-tests' };
const ACCESS_SECONDS = 3600;

const randomHex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const refusal = (status: number, reason: string) =>
  Response.json({ error: { code: status, errors: [{ reason, domain: 'youtube.quota' }] } }, { status });

export class FakeVideoHost {
  readonly videos = new Map<string, HostedVideo>();
  /** Consumed one by one by the requests that send bytes. */
  readonly faults: UploadFault[] = [];
  /** Every secret that was issued. */
  readonly secrets: string[] = [CLIENT.secret];
  /** Ids of videos that their owners hid. */
  readonly hidden = new Set<string>();
  /** Response to requests that start an upload, instead of accepting them. */
  refusesUploads: { readonly status: number; readonly reason: string } | null = null;
  /** Whether issued access tokens are accepted; false to end them before they expire. */
  takesAccessTokens = true;
  sentChunks = 0;
  url: string;

  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();
  readonly #sessions = new Map<string, Session>();
  #server: ServedApp | null = null;

  constructor(url = '') {
    this.url = url;
  }

  async start(): Promise<this> {
    this.#server = await serveApp((request) => this.answer(request));
    this.url = this.#server.url;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.close();
  }

  /** Environment variables of a service that uses this host. */
  environment(): Record<string, string> {
    return {
      VIDEO_HOST: this.url,
      VIDEO_HOST_CLIENT_ID: CLIENT.id,
      VIDEO_HOST_CLIENT_SECRET: CLIENT.secret,
      SESSION_KEY: 'a-key-of-tests-with-more-than-32-characters',
    };
  }

  /** The user grants the permission: the address to which the browser is redirected. */
  allow(authorisationUrl: string): URL {
    const { redirectUri, state, challenge } = this.#authorisationRequest(new URL(authorisationUrl));
    const code = this.#secret('code');
    this.#codes.set(code, { challenge, redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', state);
    return back;
  }

  deny(authorisationUrl: string): URL {
    const { redirectUri, state } = this.#authorisationRequest(new URL(authorisationUrl));
    const back = new URL(redirectUri);
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('state', state);
    return back;
  }

  /** The user withdraws all grants. */
  revoke(): void {
    this.#accessTokens.clear();
    this.#refreshTokens.clear();
  }

  /** Uploads under way are unknown from now on. */
  /** Whether it says of whole uploads that it has all their bytes, and no more. */
  isAtWork = false;

  forgetUploads(): void {
    this.#sessions.clear();
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomHex(18)}`;
    this.secrets.push(secret);
    return secret;
  }

  #authorisationRequest(url: URL) {
    const given = (name: string) => url.searchParams.get(name) ?? '';
    const redirectUri = given('redirect_uri');
    const isGood =
      given('client_id') === CLIENT.id &&
      given('response_type') === 'code' &&
      given('code_challenge_method') === 'S256' &&
      given('code_challenge').length === 43 &&
      given('state') !== '' &&
      new URL(redirectUri).pathname === '/v2/uploadMovieToVideoHost/' &&
      new URL(redirectUri).search === '?html=true';
    if (!isGood) throw new Error(`Invalid authorisation request: ${url}`);
    return { redirectUri, state: given('state'), challenge: given('code_challenge') };
  }

  /** @throws Error when the connection breaks */
  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const upload = /^\/upload\/(.+)$/.exec(url.pathname)?.[1];
    if (url.pathname === '/favicon.ico') return new Response(null, { status: 204 });
    if (url.pathname === '/authorise') return this.#authorisePage(url);
    if (url.pathname === '/decide') return this.#decide(request);
    if (url.pathname === '/token') return this.#token(request);
    if (url.pathname === '/upload') return this.#beginUpload(request);
    if (upload) return this.#takeBytes(upload, request);
    if (url.pathname === '/oembed') return this.#oembed(url);
    const video = this.videos.get(url.searchParams.get('v') ?? '');
    return new Response(video ? String(video.resource.snippet.title) : '', { status: video ? 200 : 404 });
  }

  #authorisePage(url: URL): Response {
    this.#authorisationRequest(url);
    const page = `<!doctype html><title>Fake host</title><h1>Allow uploads?</h1><form method="post" action="/decide">
<input type="hidden" name="url" value="${escaped(url.href)}">
<button name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></form>`;
    return new Response(page, { headers: { 'Content-Type': 'text/html' } });
  }

  async #decide(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const url = form.get('url') ?? '';
    const back = form.get('answer') === 'allow' ? this.allow(url) : this.deny(url);
    return new Response(null, { status: 302, headers: { Location: back.href } });
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const given = (name: string) => form.get(name) ?? '';
    if (given('client_id') !== CLIENT.id || given('client_secret') !== CLIENT.secret)
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    const access = () => {
      const secret = this.#secret('access');
      this.#accessTokens.add(secret);
      return { access_token: secret, token_type: 'Bearer', expires_in: ACCESS_SECONDS };
    };
    const invalid = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
    if (given('grant_type') === 'refresh_token') {
      if (!this.#refreshTokens.has(given('refresh_token'))) return invalid();
      this.takesAccessTokens = true;
      return Response.json(access());
    }
    const code = this.#codes.get(given('code'));
    this.#codes.delete(given('code'));
    const challenge = createHash('sha256').update(given('code_verifier')).digest('base64url');
    if (code?.challenge !== challenge || code.redirectUri !== given('redirect_uri')) return invalid();
    const refresh = this.#secret('refresh');
    this.#refreshTokens.add(refresh);
    return Response.json({ ...access(), refresh_token: refresh });
  }

  #isAuthorised({ headers }: Request): boolean {
    const bearer = /^Bearer (.+)$/.exec(headers.get('Authorization') ?? '')?.[1] ?? '';
    return this.takesAccessTokens && this.#accessTokens.has(bearer);
  }

  async #beginUpload(request: Request): Promise<Response> {
    const body = await request.text();
    if (!this.#isAuthorised(request)) return refusal(401, 'authError');
    if (this.refusesUploads) return refusal(this.refusesUploads.status, this.refusesUploads.reason);
    const id = this.#secret('upload');
    const size = Number(request.headers.get('X-Upload-Content-Length'));
    this.#sessions.set(id, { size, resource: JSON.parse(body), received: Buffer.alloc(0), videoId: null });
    return new Response(null, { headers: { Location: `${this.url}/upload/${id}` } });
  }

  async #takeBytes(id: string, request: Request): Promise<Response> {
    const session = this.#sessions.get(id);
    const range = /^bytes (?:\*|(\d+)-\d+)\/(\d+)$/.exec(request.headers.get('Content-Range') ?? '');
    const [from, size] = [range?.[1], Number(range?.[2])];
    const fault = from === undefined ? undefined : this.faults.shift();
    const bytes = Buffer.from(await request.arrayBuffer());
    if (fault && 'status' in fault) return refusal(fault.status, fault.reason ?? 'backendError');
    if (from !== undefined) this.sentChunks += 1;
    if (!this.#isAuthorised(request)) return refusal(401, 'authError');
    if (!session) return refusal(404, 'notFound');
    if (size !== session.size || (from !== undefined && Number(from) !== session.received.length))
      return refusal(400, 'badRequest');
    session.received = Buffer.concat([session.received, bytes.subarray(0, fault?.breakAfterBytes)]);
    if (session.received.length === size && session.videoId === null) {
      const videoId = randomHex(8);
      session.videoId = videoId;
      this.videos.set(videoId, { id: videoId, bytes: session.received, resource: session.resource });
    }
    if (fault && bytes.length >= fault.breakAfterBytes) throw new TypeError('The connection breaks.');
    return this.#state(session);
  }

  #state({ received, videoId, resource }: Session): Response {
    if (videoId !== null && !this.isAtWork) return Response.json({ kind: 'youtube#video', id: videoId, ...resource });
    const headers = received.length > 0 ? { Range: `bytes=0-${received.length - 1}` } : undefined;
    return new Response(null, { status: 308, ...(headers ? { headers } : {}) });
  }

  #oembed(url: URL): Response {
    const id = new URL(url.searchParams.get('url')!).searchParams.get('v') ?? '';
    if (this.hidden.has(id)) return refusal(403, 'forbidden');
    return this.videos.has(id) ? Response.json({ type: 'video' }) : refusal(404, 'notFound');
  }
}
