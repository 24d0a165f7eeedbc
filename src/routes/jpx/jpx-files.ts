// Responses with JPX files: from the operations that make them, and at the address that these return.
import { JPX } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import { IMMUTABLE } from '../../http/cache-policy.ts';
import { toStored } from '../../http/edge-cache.ts';
import { type StreamRepresentation, sized } from '../../http/response.ts';
import { jpxFile } from '../../services/jpx/jpx-files.ts';
import { type JpxManifest, openManifest } from '../../services/jpx/jpx-manifest.ts';
import type { Context } from '../services.ts';

const FILE_NAME = /^(.+)\.jpx$/;

/** Path below the root of the images, the same for HTTP and JPIP. */
export const jpxPath = ({ name }: JpxManifest) => `/movies/${name}.jpx`;

/** The file of a record. Linked files are cached at the edge, because they are small and slow to compose. */
export async function jpxResponse(manifest: JpxManifest, context: Context, policy = IMMUTABLE): Promise<StreamRepresentation> {
  const { objects, edgeCache, clock } = context.services;
  const { length, etag, open } = await context.stopwatch.measure('compose', () => jpxFile(objects, manifest));
  const edgeKey = `jpx?name=${manifest.name}`;
  const isKept = manifest.linked && length <= JPX.edgeBytes;
  const file: StreamRepresentation = {
    contentType: 'image/jpx',
    etag,
    length,
    isSized: true,
    policy,
    edgeSeconds: JPX.edgeSeconds,
    headers: { 'Content-Disposition': `attachment; filename="${manifest.name}.jpx"` },
    lastModifiedMs: undefined,
    open: async (range) => {
      if (range || !isKept || !edgeCache) return open(range).body;
      const kept = await context.stopwatch.measure('cache', () => edgeCache.match(edgeKey));
      if (kept?.body) return sized(kept.body, length);
      const { body, sent } = open();
      // The copy is composed after the response, which would otherwise take half as long again.
      const keep = async () => {
        if (await sent) await edgeCache.put(edgeKey, toStored({ ...file, policy: IMMUTABLE }, open().body, clock()));
      };
      context.waitUntil(keep());
      return body;
    },
  };
  return file;
}

/**
 * The file `<name>.jpx` of an address that getJPX returned.
 *
 * @throws Failure (unknown-path, withdrawn)
 */
export async function namedJpx(fileName: string, context: Context): Promise<StreamRepresentation> {
  const [, name = ''] = FILE_NAME.exec(fileName) ?? [];
  const manifest = await context.stopwatch.measure('read', () => openManifest(context.services, name));
  if (manifest) return jpxResponse(manifest, context);
  throw new Failure('unknown-path', 'No JPX file has this name. Request one with getJPX.');
}
