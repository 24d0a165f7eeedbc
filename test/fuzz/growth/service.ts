// The service whose requests are measured: all operations of an archive in memory, with a video host and the static pages.
import { PLACES } from '../../../src/faces/page/page.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { OPERATOR } from '../../support/resource-examples.ts';
import { type HeaderValues, ORIGIN } from './field.ts';

/** A video host at a closed port, which no request here reaches: it is asked after a valid authorisation alone. */
const VIDEO_HOST = { VIDEO_HOST_CLIENT_ID: 'client', VIDEO_HOST_CLIENT_SECRET: 'secret', VIDEO_HOST: 'http://127.0.0.1:9' };

const PAGE = `<head>${PLACES.head}</head><body>${PLACES.picture}${PLACES.data}</body>`;
const page = async () => new Response(PAGE, { headers: { 'Content-Type': 'text/html' } });

/** The image of the examples in the archive. */
const IMAGE = { path: 'AIA/2024/01/01/171/image_26.jp2', fileName: 'image_26.jp2' };

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';

/** Turns on a clock by which each is due when it is looked for: costs are processor time, and to wait for others only delays them. */
function turnsWithoutWaits(): Turns {
  let ms = 0;
  return new Turns(() => (ms += HOUR_MS));
}

/** A call of a tool in the revision of the protocol without a handshake, which repeats the message in headers. */
function statelessCall(name: string, given: HeaderValues) {
  const meta = { [`${META}/protocolVersion`]: REVISION, [`${META}/clientCapabilities`]: {} };
  return {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta: meta } },
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
  };
}

export type GrowthService = Awaited<ReturnType<typeof growthService>>;

/** The service with good requests, and the headers with which they get past the checks of who sends them. */
export async function growthService() {
  const turns = turnsWithoutWaits();
  const variables = { ...OPERATOR, MOVIE_TOKEN, ...VIDEO_HOST };
  const archive = await requestableArchive({ variables, assets: { fetch: page }, turns });
  const query = new URLSearchParams(archive.good.getVideoHostAuth);
  const begun = await archive.app.request(`${ORIGIN}/v2/getVideoHostAuth/?${query}`);
  const [cookie = ''] = begun.headers.get('Set-Cookie')?.split(';') ?? [];
  return {
    ...archive,
    turns,
    image: IMAGE,
    /** Headers of a page of the service, in a browser with a session. */
    ownPage: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'empty' },
    operator: { Authorization: `Bearer ${OPERATOR.ADMIN_TOKEN}` },
    worker: { Authorization: `Bearer ${MOVIE_TOKEN}` },
    toolCall: statelessCall('getImageHeader', archive.good.getImageHeader!),
  };
}
