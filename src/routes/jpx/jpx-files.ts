// JPX files as answers: of the operations that make them, and under the address that they give.
import { JPX } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import { IMMUTABLE } from '../../http/cache-policy.ts';
import { type StreamRepresentation, toStored } from '../../http/representation.ts';
import { sized } from '../../http/send.ts';
import { jpxFile } from '../../services/jpx/jpx-files.ts';
import { type JpxManifest, readManifest } from '../../services/jpx/jpx-manifest.ts';
import type { Context } from '../services.ts';

const FILE_NAME = /^(.+)\.jpx$/;

/** Below the root of the images; the same for HTTP and JPIP. */
export const jpxPath = ({ name }: JpxManifest) => `/movies/${name}.jpx`;

/** The file of a record. Files of links are small and slow to gather: the edge keeps them. */
export async function jpxAnswer(manifest: JpxManifest, context: Context, policy = IMMUTABLE): Promise<StreamRepresentation> {
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
    headers: { 'Content-Disposition': `attachment; filename="${manifest.name}.jpx"` },
    lastModifiedMs: undefined,
    open: async (range) => {
      if (range || !isKept) return open(range).body;
      const kept = await context.stopwatch.measure('cache', () => edgeCache.match(edgeKey));
      if (kept?.body) return sized(kept.body, length);
      const { body, sent } = open();
      // The copy is gathered after the answer, which it would slow down by half.
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
 * The file `<name>.jpx`, as the answers of getJPX name it.
 * @throws Failure `unknown-path`
 */
export async function namedJpx(fileName: string, context: Context): Promise<StreamRepresentation> {
  const [, name = ''] = FILE_NAME.exec(fileName) ?? [];
  const manifest = await context.stopwatch.measure('read', () => readManifest(context.services.objects, name));
  if (manifest) return jpxAnswer(manifest, context);
  throw new Failure('unknown-path', 'Expected the name of a JPX file as getJPX gives it, got another one.');
}
