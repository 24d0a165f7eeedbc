// The three calls of JHelioviewer: the tree of sources, a movie of a period and a single image, both by JPIP.
import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { recent } from '../samples/sample-files.ts';
import { bytesOf, jsonOf, recentArchive, send } from './archive.ts';

const ENABLED = '[MLSO,TRACE,Hinode,Yohkoh,STEREO_A,STEREO_B,PROBA2,SOLO,GOES-R,IRIS,GONG,ROB,Kanzelhoehe,RHESSI,GOES,PUNCH]';
const END_MS = recent.todayMs - 15 * DAY_MS;
/** Times without fractions of a second. */
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

interface Node {
  readonly name: string;
  readonly description: string;
  readonly children?: Readonly<Record<string, Node>>;
  readonly sourceId?: number;
  readonly start?: string;
  readonly end?: string;
}

/** The leaves of a tree whose inner nodes all have a name, a description and children. */
function leavesOf(nodes: Readonly<Record<string, Node>>): Node[] {
  return Object.values(nodes).flatMap((node) => {
    expect(node).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    return node.children ? leavesOf(node.children) : [node];
  });
}

describe('JHelioviewer', () => {
  it('reads a tree whose leaves all have a source and a period', async () => {
    await recentArchive(10, 14);
    const response = await send(`/v2/getDataSources/?verbose=true&enable=${ENABLED}`);
    const leaves = leavesOf(await jsonOf<Record<string, Node>>(response));
    expect(leaves.map(({ sourceId }) => sourceId)).toEqual([10, 14]);
    for (const { start, end } of leaves) {
      expect([start, end].every((date) => /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date!))).toBe(true);
    }
  });

  it('opens a linked movie by JPIP', async () => {
    await recentArchive(10);
    const period = `startTime=${iso(END_MS - 6 * MINUTE_MS)}&endTime=${iso(END_MS)}&cadence=60`;
    const movie = await jsonOf<{ uri: string; frames: number[]; message: null }>(
      await send(`/v2/getJPX/?sourceId=10&${period}&verbose=true&linked=true&jpip=true`),
    );
    expect([movie.frames.length, movie.message]).toEqual([6, null]);
    expect(movie.uri).toMatch(/^jpip:\/\/helioedge\.test:80\/movies\/SDO_AIA_171_[\w.-]+\.jpx$/);
    const target = new URL(movie.uri.replace('jpip:', 'http:')).pathname;
    const session = await send(`${target}?cnew=http&type=jpp-stream&tid=0&len=512&metareq=%5B*%5D!!`);
    expect([session.status, session.headers.get('Content-Type')]).toEqual([200, 'image/jpp-stream']);
    expect(session.headers.get('JPIP-cnew')).toMatch(/^cid=/);
  });

  it('opens an image by JPIP, and loads one as a file', async () => {
    const ids = await recentArchive(10);
    const [date, names] = [iso(END_MS), [...ids.keys()]];
    const { uri } = await jsonOf<{ uri: string }>(await send(`/v2/getJP2Image/?sourceId=10&date=${date}&json=true&jpip=true`));
    expect(names).toContain(uri.slice(uri.lastIndexOf('/') + 1));
    const file = await send(`/v2/getJP2Image/?sourceId=10&date=${date}`);
    expect(file.headers.get('Content-Type')).toBe('image/jp2');
    expect((await bytesOf(file)).toString('latin1', 4, 8)).toBe('jP  ');
  });

  it('learns from a response with status 200 that there are no images', async () => {
    const period = `startTime=${iso(END_MS - DAY_MS)}&endTime=${iso(END_MS)}`;
    const failure = await jsonOf(await send(`/v2/getJPX/?sourceId=10&${period}&verbose=true&linked=true&jpip=true`));
    expect(failure).toMatchObject({ error: expect.any(String), uri: null });
  });
});
