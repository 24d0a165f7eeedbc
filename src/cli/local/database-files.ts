// The files of the local databases, which Miniflare names by a digest of their ids.
import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';

const NAMESPACE = 'miniflare-D1DatabaseObject';
/** Bytes of each half of the name. */
const HALF_BYTES = 16;

/** The folder in which wrangler keeps the resources of a state folder. */
export const resourcesIn = (stateDir: string): string => join(stateDir, 'v3');

/** File of the database with this id; it exists once the database has been used. */
export function databaseFile(stateDir: string, databaseId: string): string {
  const key = createHash('sha256').update(NAMESPACE).digest();
  const half = (content: string | Buffer) => createHmac('sha256', key).update(content).digest().subarray(0, HALF_BYTES);
  const name = half(databaseId);
  return join(resourcesIn(stateDir), 'd1', NAMESPACE, `${Buffer.concat([name, half(name)]).toString('hex')}.sqlite`);
}
