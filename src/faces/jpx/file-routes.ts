// Responses with JPX files: from the operations that make them, and at the address that these return.
import { timelineTagOf } from '../../archive/keys.ts';
import { IMMUTABLE, namedFile, type StreamRepresentation } from '../../platform/http/response.ts';
import { JPX } from '../../platform/limits/jpx.ts';
import { Failure } from '../../platform/util/errors.ts';
import type { Context } from '../services.ts';
import { jpxFile } from './jpx-files.ts';
import { framesOf, type JpxManifest, openManifest } from './jpx-manifest.ts';
import { chargedParts, framesWithMetadata, isLong } from './jpx-parts.ts';

const FILE_NAME = /^(.+)\.jpx$/;

/** Path below the root of the images, the same for HTTP and JPIP. */
export const jpxPath = ({ name }: JpxManifest) => `/movies/${name}.jpx`;

/** The frames of a record: the XML of a long linked file is read from its parts, because its images would take too many reads. */
async function framesToSend(manifest: JpxManifest, { services, admission }: Context) {
  const { objects, jpxParts } = services;
  if (!manifest.linked || !isLong(manifest.frames)) return framesOf(manifest);
  return (await framesWithMetadata({ objects, parts: chargedParts(jpxParts, admission) }, manifest))!;
}

/** The file of a record. */
export async function jpxResponse(manifest: JpxManifest, context: Context, policy = IMMUTABLE): Promise<StreamRepresentation> {
  const frames = await framesToSend(manifest, context);
  const { length, etag, open } = await context.stopwatch.measure('compose', () =>
    jpxFile(context.services.objects, manifest, frames),
  );
  return {
    contentType: 'image/jpx',
    etag,
    length,
    isSized: true,
    policy,
    edgeSeconds: JPX.edgeSeconds,
    tags: [...new Set(manifest.frames.map(timelineTagOf))],
    headers: namedFile('attachment', `${manifest.name}.jpx`),
    lastModifiedMs: undefined,
    open: async (range) => open(range),
  };
}

/** The file `<name>.jpx` of an address that getJPX returned. @throws Failure (unknown-path, withdrawn) */
export async function namedJpx(fileName: string, context: Context): Promise<StreamRepresentation> {
  const [, name = ''] = FILE_NAME.exec(fileName) ?? [];
  const manifest = await context.stopwatch.measure('read', () => openManifest(context.services, name));
  if (manifest) return jpxResponse(manifest, context);
  throw new Failure('unknown-path', 'No JPX file has this name. Request one with getJPX.');
}
