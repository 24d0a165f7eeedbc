// Object store of the archive over HTTP, limited to images and their sidecars of both kinds.
import type { ObjectStore, StoredObject } from '../../../src/ports/objects.ts';
import { type ServiceConnection, ServiceUnavailable } from './connection.ts';

/** Escapes everything but the slashes, because keys may hold characters that paths may not. */
const pathOf = (key: string) => `/internal/objects/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Methods retry while the service fails, and then throw ServiceUnavailable. */
export class HttpObjects implements Pick<ObjectStore, 'read' | 'readAll' | 'put'> {
  readonly #connection: ServiceConnection;

  constructor(connection: ServiceConnection) {
    this.#connection = connection;
  }

  /** @throws RangeError when the object is shorter */
  async read(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    if (length === 0) return new Uint8Array(0);
    const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
    const { status, bytes } = await this.#connection.send({ method: 'GET', path: pathOf(key), headers });
    if (status === 404) return null;
    const range = status === 200 ? bytes.subarray(offset, offset + length) : bytes;
    if (status === 416 || ((status === 200 || status === 206) && range.length !== length)) {
      throw new RangeError(`Expected ${length} bytes from ${offset}, got fewer.`);
    }
    if (status !== 200 && status !== 206) throw new ServiceUnavailable(`GET of an object: status ${status}`);
    return range;
  }

  async readAll(key: string): Promise<Uint8Array | null> {
    const { status, bytes } = await this.#connection.send({ method: 'GET', path: pathOf(key) });
    if (status !== 200 && status !== 404) throw new ServiceUnavailable(`GET of an object: status ${status}`);
    return status === 404 ? null : bytes;
  }

  /** Stores a sidecar. Errors are ignored, because the sidecar is usable without being stored. */
  async put(key: string, body: Uint8Array, contentType: string): Promise<StoredObject> {
    const headers = { 'Content-Type': contentType };
    await this.#connection.send({ method: 'PUT', path: pathOf(key), body, headers, retryForMs: 0 }).catch(() => undefined);
    return { size: body.length, etag: '""', uploadedAtMs: Date.now() };
  }
}
