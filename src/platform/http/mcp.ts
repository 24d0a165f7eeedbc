// The Model Context Protocol over streamable HTTP (https://modelcontextprotocol.io), without sessions and streams: each message is a POST,
// and its response is JSON. Revision 2026-07-28 states version and capabilities with every request; earlier ones begin with `initialize`.
import { MCP } from '../limits/http.ts';
import { fromBase64, isJsonObject, parsedJson } from '../util/bytes.ts';
import { badParameter, Failure, shown } from '../util/errors.ts';
import { SERVICE_NAME, SERVICE_VERSION } from '../util/identity.ts';
import { isLoopback } from '../util/url.ts';
import { errnoOf, errorHeaders, statusOf } from './errors.ts';
import { mediaTypeOf, requestBody } from './request.ts';
import { jsonResponse } from './response.ts';

/** The revision without a handshake. */
const STATELESS = '2026-07-28';
/** Revisions with a handshake, the newest first. 2025-03-26 is not among them, because its clients may send several messages at once. */
const WITH_HANDSHAKE: readonly string[] = ['2025-11-25', '2025-06-18'];
const REVISIONS: readonly string[] = [STATELESS, ...WITH_HANDSHAKE];

const META = 'io.modelcontextprotocol';
const SERVER = { name: SERVICE_NAME, version: SERVICE_VERSION } as const;
const CAPABILITIES = { tools: {} } as const;
/** Lifetime of the list of tools in clients: it changes with the version of the service alone. */
const TTL_MS = 3_600_000;

/** Codes of errors: JSON-RPC 2.0, section 5.1, and MCP 2026-07-28, "Error Codes". */
const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  parameters: -32602,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
} as const;

/** Result for the model: texts and pictures, or the sentence of a failure. */
export interface ToolResult {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    /** `data`: base64. */
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  )[];
  readonly isError?: true;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface Toolbox {
  /** Advice for a model that begins. */
  readonly instructions: string;
  /** Definitions with JSON schemas of their arguments. */
  list(): readonly object[];
  /** Failures of a tool are results with `isError`. Null for a tool that does not exist. */
  call(name: string, given: ToolArguments): Promise<ToolResult | null>;
}

class ProtocolError extends Error {
  readonly code: number;
  /** HTTP status. Unset: 400. */
  readonly status: number;
  readonly data: object | undefined;

  constructor(code: number, sentence: string, { status = 400, data }: { readonly status?: number; readonly data?: object } = {}) {
    super(sentence);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** A request of a client; a notification without `id`. */
interface Message {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: ToolArguments;
}

/** The message of a body; null for a response, which no request of this service asks for. @throws ProtocolError for another body */
function messageOf(body: Uint8Array): Message | null {
  const value = parsedJson(body, { fatal: true });
  if (value === undefined)
    throw new ProtocolError(CODES.parse, 'The request body is not JSON. Send one message of JSON-RPC 2.0.');
  if (!isJsonObject(value)) {
    throw new ProtocolError(CODES.request, `Expected a message of JSON-RPC 2.0 for the request body, got ${shown(value)}.`);
  }
  const { id, jsonrpc, method, params = {} } = value;
  if (jsonrpc !== '2.0') throw new ProtocolError(CODES.request, `Expected 2.0 for jsonrpc, got ${shown(jsonrpc)}.`);
  if (method === undefined && ('result' in value || 'error' in value)) return null;
  if (typeof method !== 'string') throw new ProtocolError(CODES.request, `Expected a name for method, got ${shown(method)}.`);
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id)) {
    throw new ProtocolError(CODES.request, `Expected a string or a whole number for id, got ${shown(id)}.`);
  }
  if (!isJsonObject(params)) throw new ProtocolError(CODES.parameters, `Expected an object for params, got ${shown(params)}.`);
  return { id: id as Message['id'], method, params };
}

/** A value of a header, which stands in base64 where it is not plain ASCII ("Value Encoding"). */
function headerValue(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder().decode(fromBase64(encoded));
  } catch {
    return null;
  }
}

/** @throws ProtocolError for a header that does not say what the body says */
function checkHeader(headers: Headers, name: string, expected: unknown): void {
  const value = headerValue(headers, name);
  if (value === expected) return;
  throw new ProtocolError(CODES.headerMismatch, `Expected ${shown(expected)} for the header ${name}, got ${shown(value)}.`);
}

/** Whether the message is of the revision without a handshake. @throws ProtocolError for another revision, or without what it requires */
function isStateless({ method, params }: Message, headers: Headers): boolean {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const stated = meta[`${META}/protocolVersion`];
  const revision = stated ?? headers.get('MCP-Protocol-Version') ?? undefined;
  if (revision !== undefined && !REVISIONS.includes(revision as string)) {
    const sentence = `Expected ${REVISIONS.join(', ')} for the revision, got ${shown(revision)}.`;
    const data = { supported: REVISIONS, requested: revision };
    throw new ProtocolError(CODES.unsupportedRevision, sentence, { data });
  }
  if (revision !== STATELESS && method !== 'server/discover') return false;
  for (const [name, what, is] of [
    ['protocolVersion', 'a text', (value: unknown) => typeof value === 'string'],
    ['clientCapabilities', 'an object', isJsonObject],
  ] as const) {
    const value = meta[`${META}/${name}`];
    if (is(value)) continue;
    throw new ProtocolError(CODES.parameters, `Expected ${what} for ${META}/${name} of _meta, got ${shown(value)}.`);
  }
  checkHeader(headers, 'MCP-Protocol-Version', stated);
  checkHeader(headers, 'Mcp-Method', method);
  if (method === 'tools/call') checkHeader(headers, 'Mcp-Name', params.name);
  return true;
}

/** @throws ProtocolError */
async function callTool({ name, arguments: given = {} }: ToolArguments, toolbox: Toolbox): Promise<object> {
  if (!isJsonObject(given)) throw new ProtocolError(CODES.parameters, `Expected an object for arguments, got ${shown(given)}.`);
  const result = typeof name === 'string' ? await toolbox.call(name, given) : null;
  if (!result) throw new ProtocolError(CODES.parameters, `Expected the name of a tool for name, got ${shown(name)}.`);
  return result;
}

type Methods = Readonly<Record<string, (params: ToolArguments, toolbox: Toolbox) => Promise<object> | object>>;

const CACHEABLE = { ttlMs: TTL_MS, cacheScope: 'public' } as const;

const STATELESS_METHODS: Methods = {
  'server/discover': (_, { instructions }) => ({
    supportedVersions: REVISIONS,
    capabilities: CAPABILITIES,
    instructions,
    ...CACHEABLE,
  }),
  'tools/list': (_, toolbox) => ({ tools: toolbox.list(), ...CACHEABLE }),
  'tools/call': callTool,
};

const METHODS_AFTER_HANDSHAKE: Methods = {
  initialize: ({ protocolVersion }, { instructions }) => ({
    protocolVersion: WITH_HANDSHAKE.find((revision) => revision === protocolVersion) ?? WITH_HANDSHAKE[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions,
  }),
  ping: () => ({}),
  'tools/list': (_, toolbox) => ({ tools: toolbox.list() }),
  'tools/call': callTool,
};

/** The result of a request. @throws ProtocolError */
async function resultOf(message: Message, headers: Headers, toolbox: Toolbox): Promise<object> {
  const stateless = isStateless(message, headers);
  const methods = stateless ? STATELESS_METHODS : METHODS_AFTER_HANDSHAKE;
  const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined;
  if (!method) {
    // The status of an earlier revision would say that a session has ended.
    const status = stateless ? 404 : 200;
    const names = Object.keys(methods).join(', ');
    throw new ProtocolError(CODES.method, `Expected ${names} for method, got ${shown(message.method)}.`, { status });
  }
  const result = await method(message.params, toolbox);
  return stateless ? { ...result, resultType: 'complete', _meta: { [`${META}/serverInfo`]: SERVER } } : result;
}

/** Response to an unread message or a failed service, with the status and headers of other operations. */
export function mcpFailure(failure: Failure): Response {
  const error = { code: errnoOf(failure), message: failure.message };
  return jsonResponse({ jsonrpc: '2.0', error }, { status: statusOf(failure), headers: errorHeaders(failure) });
}

/** An IPv4 or IPv6 address, which no DNS name can be made to mean. */
const ADDRESS = /^(\d+(\.\d+){3}|\[.+\])$/;

/** Refuses pages of other sites, whose names may point to this machine (DNS rebinding). @throws Failure `forbidden` */
function checkOrigin({ url, headers }: Request): void {
  const origin = headers.get('Origin');
  if (origin === null) return;
  const page = URL.parse(origin);
  const isOwn = page?.origin === new URL(url).origin && (page.protocol === 'https:' || ADDRESS.test(page.hostname));
  if (page && (isOwn || isLoopback(page))) return;
  throw new Failure('forbidden', `Expected a page of this service or of this machine for Origin, got ${shown(origin)}.`, {
    parameter: 'Origin',
  });
}

/** @throws Failure for a request that can have no message, or one that is too long */
async function bodyOf(request: Request): Promise<Uint8Array> {
  checkOrigin(request);
  if (request.method !== 'POST') {
    const sentence = `${request.method} is not supported here. Use POST: this address has no streams.`;
    throw new Failure('method-not-allowed', sentence, { allowedMethods: 'POST, OPTIONS' });
  }
  const type = request.headers.get('Content-Type') ?? undefined;
  if (mediaTypeOf(type ?? '') !== 'application/json') {
    const { message } = badParameter('Content-Type', 'application/json', type);
    throw new Failure('unsupported-type', message, { parameter: 'Content-Type' });
  }
  return requestBody(request, MCP.bodyBytes);
}

/** The response to a request of the protocol. @throws Failure, for `mcpFailure` */
export async function mcpResponse(request: Request, toolbox: Toolbox): Promise<Response> {
  const body = await bodyOf(request);
  let id: Message['id'];
  try {
    const message = messageOf(body);
    if (message?.id === undefined) return new Response(null, { status: 202 });
    id = message.id;
    return jsonResponse({ jsonrpc: '2.0', id, result: await resultOf(message, request.headers, toolbox) });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data, status } = error;
    return jsonResponse({ jsonrpc: '2.0', id, error: { code, message, data } }, { status });
  }
}
