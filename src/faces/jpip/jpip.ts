// JPIP over HTTP, at `/<path in the archive>.jp2` and `/movies/<name>.jpx` with a view window in the query, and JPIP addresses.
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { parseJpipRequest } from '../../jp2/jpip/request.ts';
import { limitRate } from '../../platform/admission/rate-limit.ts';
import { acceptsGzip, isJpipRequest, JPIP_PREFIX, type Route } from '../../platform/http/request.ts';
import { appendAll } from '../../platform/http/response.ts';
import { Failure } from '../../platform/util/errors.ts';
import { percentDecoded } from '../../platform/util/url.ts';
import type { Context } from '../services.ts';
import { charged, serveJpip } from './response.ts';

const GZIP_HEADER = Uint8Array.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255);

/** Compresses a body part by part, in a third of the time that the runtime takes for text of which the next frame has nearly all again. */
function gzip(): TransformStream<Uint8Array, Uint8Array> {
  let [sum, bytes] = [0, 0];
  return new TransformStream({
    start: (controller) => controller.enqueue(GZIP_HEADER),
    transform(part, controller) {
      [sum, bytes] = [crc32(part, sum), bytes + part.length];
      controller.enqueue(deflateRawSync(part, { level: 3, finishFlush: constants.Z_SYNC_FLUSH }));
    },
    flush(controller) {
      const end = new DataView(new ArrayBuffer(10));
      // An empty last block.
      end.setUint16(0, 0x0300);
      end.setUint32(2, sum, true);
      end.setUint32(6, bytes, true);
      controller.enqueue(new Uint8Array(end.buffer));
    },
  });
}

/**
 * The HTTP response to a JPIP request. `takesGzip`: whether the client takes a compressed one.
 *
 * Old desktop clients compare header names case-sensitively, split each header at `: ` (so no value may contain it), and accept
 * exactly this content type and status 200.
 */
async function jpipResponse(context: Context, takesGzip: boolean): Promise<Response> {
  const { services, url, admission } = context;
  const { pathname, search } = url;
  const { jpip: ports } = services;
  const request = parseJpipRequest(search);
  if (request.cnew) await admission.admit('channels', 1);
  const named = request.target?.replace(/^\//, '') ?? null;
  const path = named ?? (percentDecoded(pathname.replace(JPIP_PREFIX, '')) ?? '').slice(1);
  const find = () => ports.targets.find(path, charged(ports, admission));
  const target = await find();
  if (request.cnew) {
    await admission.change();
    await admission.store('channels', 1);
  }
  const { opened, body, isCompressible } = await serveJpip(ports, target, request, context).catch(async (error: unknown) => {
    // A target found earlier may have been withdrawn since, and its file with it: looks again, and fails with what is found then.
    if (error instanceof Failure && error.kind === 'missing-file') {
      ports.targets.forget(path);
      await find();
    }
    throw error;
  });
  const headers = new Headers({
    'Content-Type': 'image/jpp-stream',
    'Cache-Control': 'no-cache',
    'JPIP-tid': target.tid,
    ...admission.headers('reads'),
  });
  if (isCompressible) headers.set('Vary', 'Accept-Encoding');
  const isCompressed = isCompressible && takesGzip;
  if (isCompressed) headers.set('Content-Encoding', 'gzip');
  if (request.requestId !== null) headers.set('JPIP-qid', String(request.requestId));
  if (opened !== null) {
    // Commas separate the fields of JPIP-cnew.
    const ofChannel = (named === null ? pathname.slice(1) : `jpip/${encodeURI(named)}`).replaceAll(',', '%2C');
    headers.set('JPIP-cnew', `cid=${opened},path=${ofChannel},transport=http`);
  }
  if (!isCompressed) return new Response(body as BodyInit, { headers });
  return new Response(new Response(body as BodyInit).body!.pipeThrough(gzip()), { headers, encodeBody: 'manual' });
}

/** Requests by JPIP, which have a limit of their own. */
export const jpipRoute: Route<Context> = {
  kind: 'jpip',
  path: /^/,
  when: isJpipRequest,
  async handle(context, _, request) {
    const { services, headers, client } = context;
    const limits = await limitRate(services.jpipLimiter, headers);
    const response = await services.turns.serve(client, () => jpipResponse(context, acceptsGzip(request)));
    appendAll(response.headers, limits);
    return response;
  },
};

const HTTP_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** JPIP address of a file, `jpip://<host>:<port>` of the request unless it is set, `jpips` over TLS. `path`: with a leading slash. */
export function jpipAddress(path: string, { services, url }: Pick<Context, 'services' | 'url'>): string {
  const { protocol, hostname, port } = url;
  const root = `${protocol === 'https:' ? 'jpips' : 'jpip'}://${hostname}:${port || HTTP_PORTS[protocol]}`;
  return (services.settings.JPIP_ROOT ?? root) + path;
}
