// A client of JPIP in a world: a session about an image, whose client keeps what it got.
import { BinCache } from '../../support/jpx/jpip-stream.ts';
import type { WorldFile } from '../files.ts';
import type { Checks } from '../statements.ts';
import type { World } from '../world.ts';
import { BROKEN } from './answers.ts';

/** Bytes of an answer of the session, so that its window takes several. */
const ANSWER_BYTES = 700;
const MOST_ANSWERS = 40;
/** Reasons of the end of a response that leave nothing of the window (ISO/IEC 15444-9 D.3): the image, or the window, is done. */
const DONE = [1, 2];

/** Reads a window by a session of short answers, and compares it with the answer to one request. A lost answer ends the session. */
export async function expectStream(world: World, checks: Checks, { key }: WorldFile): Promise<void> {
  const target = key.slice('jp2'.length);
  const window = '&stream=0&fsiz=64,64,closest';
  const { status, body } = await world.request(`/jpip${target}?type=jpp-stream${window}`);
  if (status !== 200) return;
  const [whole, got] = [new BinCache(), new BinCache()];
  whole.take(body);
  let path = `/jpip${target}?cnew=http${window}`;
  for (let answers = 0, reason: number | null = null; !DONE.includes(reason ?? 0); answers += 1) {
    const answer = await world.request(`${path}&len=${ANSWER_BYTES}`);
    if (answer.status !== 200 || answer.headers.get('X-World') === BROKEN) return;
    ({ reason } = got.take(answer.body));
    const cid = /cid=([^,]+)/.exec(answer.headers.get('JPIP-cnew') ?? '')?.[1];
    if (cid) path = `/jpip${target}?cid=${cid}${window}`;
    checks.expect('streamed', answers < MOST_ANSWERS, () => `a session about ${target} has no end.`);
    if (answers >= MOST_ANSWERS) return;
  }
  for (const [name, { bytes }] of whole.bins) {
    const isSame = Buffer.compare(got.bins.get(name)?.bytes ?? new Uint8Array(0), bytes) === 0;
    checks.expect('streamed', isSame, () => `the data-bin ${name} of ${target} is not whole.`);
  }
}
