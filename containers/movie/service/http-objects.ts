// The archive over HTTP, as the readers of images want it.
import type { ObjectStore, StoredObject } from '../../../src/ports/objects.ts';
import { type ServiceConnection, ServiceUnavailable } from './connection.ts';

/** Keys have characters that paths must not; slashes stay. */
const pathOf = (key: string) => `/internal/objects/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Objects below jp2/ and idx/. Failures of the service are waited for; `ServiceUnavailable` comes out when they do not end. */
export class HttpObjects implements Pick<ObjectStore, 'read' | 'readAll' | 'put'> {
  readonly #connection: ServiceConnection;

  constructor(connection: ServiceConnection) {
    this.#connection = connection;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    if (length === 0) return new Uint8Array(0);
    const range = `bytes=${offset}-${offset + length - 1}`;
    const { status, bytes } = await this.#connection.call({ method: 'GET', path: pathOf(key), headers: { Range: range } });
    if (status === 404) return null;
    const part = status === 200 ? bytes.subarray(offset, offset + length) : bytes;
    if (status === 416 || ((status === 200 || status === 206) && part.length !== length)) {
      throw new RangeError(`Expected ${length} bytes from ${offset}, got fewer.`);
    }
    if (status !== 200 && status !== 206) throw new ServiceUnavailable(`GET of an object: answered ${status}`);
    return part;
  }

  async readAll(key: string): Promise<Uint8Array | null> {
    const { status, bytes } = await this.#connection.call({ method: 'GET', path: pathOf(key) });
    if (status !== 200 && status !== 404) throw new ServiceUnavailable(`GET of an object: answered ${status}`);
    return status === 404 ? null : bytes;
  }

  /** Stores a sidecar that was made again. That it cannot be stored is no reason not to use it. */
  async put(key: string, body: Uint8Array, contentType: string): Promise<StoredObject> {
    const headers = { 'Content-Type': contentType };
    await this.#connection.call({ method: 'PUT', path: pathOf(key), body, headers, patienceMs: 0 }).catch(() => undefined);
    return { size: body.length, etag: '""', uploadedAtMs: Date.now() };
  }
}
