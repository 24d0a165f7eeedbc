// A JPIP client on one socket, as strict about HTTP as the desktop clients up to 2025: exact status line, header
// names by case, every header in two parts at ": ", chunks without extensions.
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface JpipReply {
  readonly status: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Bytes of the socket, by lines and by counts. */
class Incoming {
  #bytes: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    socket.on('data', (data: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, data]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('close', end).on('error', end);
  }

  async #more(): Promise<void> {
    if (this.#ended) throw new Error('the connection was closed');
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n');
      if (end >= 0) return (await this.count(end + 2)).subarray(0, end).toString('latin1');
      await this.#more();
    }
  }

  async count(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more();
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

/** One connection. Replies come in the order of the requests, which may be pipelined. */
export class JpipConnection {
  readonly #socket: Socket;
  readonly #incoming: Incoming;
  readonly #host: string;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#incoming = new Incoming(socket);
    this.#host = host;
  }

  static async open(url: string): Promise<JpipConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed));
    return new JpipConnection(socket, host);
  }

  /**
   * `target`: path and query as they go into the request line, unescaped. `encoding`: Accept-Encoding; unset, the header is absent. Any
   * status is a reply, whose body is as it was sent.
   */
  request(target: string, encoding?: string): Promise<JpipReply> {
    const accept = encoding === undefined ? '' : `Accept-Encoding: ${encoding}\r\n`;
    this.#socket.write(
      `GET ${target} HTTP/1.1\r\nHost: ${this.#host}\r\nUser-Agent: helioedge-test\r\nConnection: keep-alive\r\n${accept}Cache-Control: no-cache\r\n\r\n`,
    );
    const reply = this.#last.then(() => this.#read());
    this.#last = reply.catch(() => {});
    return reply;
  }

  /** A reply that the old clients take: 200 OK, a JPP-stream. */
  async stream(target: string, encoding?: string): Promise<JpipReply> {
    const reply = await this.request(target, encoding);
    if (reply.status !== 'HTTP/1.1 200 OK')
      throw new Error(`${target}: ${reply.status} ${Buffer.from(reply.body).toString('latin1')}`);
    const type = reply.headers.get('Content-Type');
    if (type !== 'image/jpp-stream') throw new Error(`${target}: type ${type}`);
    return reply;
  }

  /** `stream` with gzip accepted, and the bytes of the JPP-stream. */
  async compressedStream(target: string): Promise<JpipReply & { readonly stream: Uint8Array }> {
    const reply = await this.stream(target, 'gzip');
    const isCompressed = reply.headers.get('Content-Encoding') === 'gzip';
    return { ...reply, stream: isCompressed ? gunzipSync(reply.body) : reply.body };
  }

  close(): void {
    this.#socket.destroy();
  }

  async #read(): Promise<JpipReply> {
    const status = await this.#incoming.line();
    const headers = new Map<string, string>();
    for (let line = await this.#incoming.line(); line !== ''; line = await this.#incoming.line()) {
      const parts = line.split(': ');
      if (parts.length !== 2 || parts[1] === '') throw new Error(`header line that old clients refuse: ${line}`);
      headers.set(parts[0] as string, parts[1] as string);
    }
    return { status, headers, body: await this.#body(headers) };
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Uint8Array> {
    if (headers.get('Transfer-Encoding') !== 'chunked') {
      const length = headers.get('Content-Length');
      if (length === undefined) throw new Error('neither Content-Length nor chunks');
      return this.#incoming.count(Number(length));
    }
    const chunks: Buffer[] = [];
    for (;;) {
      const line = await this.#incoming.line();
      if (!/^[0-9a-fA-F]+$/.test(line)) throw new Error(`chunk size ${line}`);
      const size = Number.parseInt(line, 16);
      chunks.push(await this.#incoming.count(size));
      await this.#incoming.line();
      if (size === 0) return Buffer.concat(chunks);
    }
  }
}

/** `cid` and `path` of JPIP-cnew. */
export function openedChannel(reply: JpipReply): { cid: string; path: string } {
  const fields = new Map((reply.headers.get('JPIP-cnew') ?? '').split(',').map((part) => part.split('=') as [string, string]));
  const [cid, path] = [fields.get('cid'), fields.get('path')];
  if (!cid || !path || fields.get('transport') !== 'http') throw new Error('no channel was opened');
  return { cid, path: `/${path}` };
}
