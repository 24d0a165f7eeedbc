// JPIP over HTTP: `/<path in the archive>.jp2` and `/movies/<name>.jpx` with the fields of a view window in the query.
import { isJpipQuery, parseJpipRequest } from '../../domain/jpip/request.ts';
import { answerJpip, type JpipPorts } from '../../services/jpip/answer.ts';
import type { JpipTargets } from '../../services/jpip/target.ts';

/** In front of any target, for those who want JPIP under a path of its own. */
const PREFIX = /^\/jpip(?=\/|$)/;
const TARGET = /\.(jp2|jpx)$/;

export function asksForJpip({ pathname, search }: URL): boolean {
  return (PREFIX.test(pathname) || TARGET.test(pathname)) && isJpipQuery(search);
}

function decodedPath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return '';
  }
}

/** Where the requests of a channel go, without a slash in front: always to the target itself. A comma ends a value of JPIP-cnew. */
function channelPath(pathname: string, target: string | null): string {
  return (target === null ? pathname.slice(1) : `jpip/${encodeURI(target)}`).replaceAll(',', '%2C');
}

/**
 * Old desktop clients take header names by case and each header apart at `: `, so that no value may have that in it; they
 * know no type but exactly this one and no status but 200.
 */
export async function jpipAnswer(
  ports: JpipPorts & { readonly targets: JpipTargets },
  { pathname, search }: URL,
): Promise<Response> {
  const request = parseJpipRequest(search);
  const named = request.target?.replace(/^\//, '') ?? null;
  const target = await ports.targets.find(named ?? decodedPath(pathname.replace(PREFIX, '')).slice(1));
  const { opened, body } = await answerJpip(ports, target, request);
  const headers = new Headers({ 'Content-Type': 'image/jpp-stream', 'Cache-Control': 'no-cache', 'JPIP-tid': target.tid });
  if (opened !== null) headers.set('JPIP-cnew', `cid=${opened},path=${channelPath(pathname, named)},transport=http`);
  return new Response(body as BodyInit, { headers });
}
