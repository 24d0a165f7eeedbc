// A fake video host on the loopback interface: authorisation page, tokens with PKCE, resumable uploads, oEmbed. It stores the videos
// it receives, and fails on demand.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalServer, localServer } from '../system/local-server.ts';

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
  received: Buffer[];
  videoId: string | null;
}

const CLIENT = { id: 'client-of-tests', secret: 'secret-of-the-client-of-tests' };
const ACCESS_SECONDS = 3600;

const token = (kind: string) => `${kind}-${randomBytes(18).toString('hex')}`;
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  json(response, status, { error: { code: status, errors: [{ reason, domain: 'youtube.quota' }] } });
}

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
  url = '';

  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();
  readonly #sessions = new Map<string, Session>();
  #server: LocalServer | null = null;

  async start(): Promise<this> {
    this.#server = await localServer((request, response) => {
      this.#route(request, response).catch(() => response.destroy());
    });
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

  #secret(kind: string): string {
    const secret = token(kind);
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

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url);
    const upload = /^\/upload\/(.+)$/.exec(url.pathname)?.[1];
    if (url.pathname === '/favicon.ico') return void response.writeHead(204).end();
    if (url.pathname === '/authorise') return this.#authorisePage(url, response);
    if (url.pathname === '/decide') return this.#decide(request, response);
    if (url.pathname === '/token') return this.#token(request, response);
    if (url.pathname === '/upload') return this.#beginUpload(request, response);
    if (upload) return this.#takeBytes(upload, request, response);
    if (url.pathname === '/oembed') return this.#oembed(url, response);
    const video = this.videos.get(url.searchParams.get('v') ?? '');
    response
      .writeHead(video ? 200 : 404, { 'Content-Type': 'text/plain' })
      .end(video ? String(video.resource.snippet.title) : '');
  }

  #authorisePage(url: URL, response: ServerResponse): void {
    this.#authorisationRequest(url);
    const page = `<!doctype html><title>Fake host</title><h1>Allow uploads?</h1><form method="post" action="/decide">
<input type="hidden" name="url" value="${escaped(url.href)}">
<button name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></form>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  }

  async #decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(String(await bodyOf(request)));
    const url = form.get('url') ?? '';
    const back = form.get('answer') === 'allow' ? this.allow(url) : this.deny(url);
    response.writeHead(302, { Location: back.href }).end();
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(String(await bodyOf(request)));
    const given = (name: string) => form.get(name) ?? '';
    if (given('client_id') !== CLIENT.id || given('client_secret') !== CLIENT.secret) {
      return json(response, 401, { error: 'invalid_client' });
    }
    const access = () => {
      const secret = this.#secret('access');
      this.#accessTokens.add(secret);
      return { access_token: secret, token_type: 'Bearer', expires_in: ACCESS_SECONDS };
    };
    if (given('grant_type') === 'refresh_token') {
      const isKnown = this.#refreshTokens.has(given('refresh_token'));
      if (isKnown) this.takesAccessTokens = true;
      return json(response, isKnown ? 200 : 400, isKnown ? access() : { error: 'invalid_grant' });
    }
    const code = this.#codes.get(given('code'));
    this.#codes.delete(given('code'));
    const challenge = createHash('sha256').update(given('code_verifier')).digest('base64url');
    if (code?.challenge !== challenge || code.redirectUri !== given('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const refresh = this.#secret('refresh');
    this.#refreshTokens.add(refresh);
    return json(response, 200, { ...access(), refresh_token: refresh });
  }

  #isAuthorised({ headers }: IncomingMessage): boolean {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    return this.takesAccessTokens && this.#accessTokens.has(bearer);
  }

  async #beginUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (!this.#isAuthorised(request)) return refuse(response, 401, 'authError');
    if (this.refusesUploads) return refuse(response, this.refusesUploads.status, this.refusesUploads.reason);
    const id = this.#secret('upload');
    const size = Number(request.headers['x-upload-content-length']);
    this.#sessions.set(id, { size, resource: JSON.parse(String(body)), received: [], videoId: null });
    response.writeHead(200, { Location: `${this.url}/upload/${id}` }).end();
  }

  async #takeBytes(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = this.#sessions.get(id);
    const range = /^bytes (?:\*|(\d+)-\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '');
    const [from, size] = [range?.[1], Number(range?.[2])];
    const fault = from === undefined ? undefined : this.faults.shift();
    if (fault && 'status' in fault) {
      await bodyOf(request);
      return refuse(response, fault.status, fault.reason ?? 'backendError');
    }
    if (from !== undefined) this.sentChunks += 1;
    if (!this.#isAuthorised(request)) return refuse(response, 401, 'authError');
    if (!session) return refuse(response, 404, 'notFound');
    const has = session.received.reduce((sum, part) => sum + part.length, 0);
    if (size !== session.size || (from !== undefined && Number(from) !== has)) return refuse(response, 400, 'badRequest');
    const breakAfter = fault?.breakAfterBytes ?? Number.POSITIVE_INFINITY;
    if (!(await this.#receive(session, request, breakAfter))) return void request.socket.destroy();
    return this.#state(session, response);
  }

  /** False when the fault breaks the connection. */
  async #receive(session: Session, request: IncomingMessage, breakAfter: number): Promise<boolean> {
    let count = 0;
    for await (const chunk of request) {
      const bytes = (chunk as Buffer).subarray(0, Math.max(0, breakAfter - count));
      session.received.push(bytes);
      count += bytes.length;
      if (count >= breakAfter) break;
    }
    const bytes = Buffer.concat(session.received);
    session.received = [bytes];
    if (bytes.length === session.size && session.videoId === null) {
      session.videoId = randomBytes(8).toString('base64url');
      this.videos.set(session.videoId, { id: session.videoId, bytes, resource: session.resource });
    }
    return count < breakAfter;
  }

  #state({ received, videoId, resource }: Session, response: ServerResponse) {
    if (videoId !== null) return json(response, 200, { kind: 'youtube#video', id: videoId, ...resource });
    const has = received.reduce((sum, part) => sum + part.length, 0);
    response.writeHead(308, has > 0 ? { Range: `bytes=0-${has - 1}` } : {}).end();
  }

  #oembed(url: URL, response: ServerResponse) {
    const id = new URL(url.searchParams.get('url')!).searchParams.get('v') ?? '';
    if (this.hidden.has(id)) return refuse(response, 403, 'forbidden');
    if (!this.videos.has(id)) return refuse(response, 404, 'notFound');
    return json(response, 200, { type: 'video' });
  }
}
