// npm run mirror -- --from-tree URL | --from-api URL --sources LIST
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIRROR_REQUESTS } from '../config/limits/mirror.ts';
import { mirrorUpstream } from '../upstreams/mirror/mirror-upstream.ts';
import { MINUTE_MS } from '../util/durations.ts';
import { adminClient } from './ingest/admin-client.ts';
import { Outcomes } from './ingest/outcomes.ts';
import { reportFile } from './ingest/report-file.ts';
import { onInterrupt } from './interrupt.ts';
import { HELP, type MirrorArguments, mirrorArguments } from './mirror/mirror-arguments.ts';
import { mirrorInto } from './mirror/mirror-into.ts';
import { SqliteMirrorState } from './mirror/mirror-state.ts';
import { showProgress } from './progress.ts';
import { runProgram } from './run-program.ts';
import { adminTokenFrom, serviceUrlFrom, stateDirFrom } from './settings.ts';

const EXIT = { good: 0, failed: 1, refused: 2, interrupted: 130 } as const;

/** Longest pause that an upstream may ask for; a longer one ends the run. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

async function main(): Promise<number> {
  const given = mirrorArguments(process.argv.slice(2));
  if (!given) {
    console.log(HELP);
    return process.argv.length > 2 ? EXIT.good : EXIT.failed;
  }
  const serviceUrl = serviceUrlFrom(process.env);
  const client = adminClient(serviceUrl, await adminTokenFrom(process.env, serviceUrl));
  await client.isEmpty().catch((error: Error) => {
    throw new Error(`${serviceUrl} does not respond as a running service: ${error.message}`, { cause: error });
  });
  const folder = stateDirFrom(process.env);
  await mkdir(folder, { recursive: true });
  const state = new SqliteMirrorState(join(folder, 'mirror.sqlite'), { serviceUrl, upstream: given.address });
  const interruption = new AbortController();
  onInterrupt(
    () => interruption.abort(),
    () => process.exit(EXIT.interrupted),
  );
  const upstream = mirrorUpstream(given.kind, given.address, politenessOf(given), interruption.signal);
  const progress = showProgress('mirror');
  const report = given.report === null ? null : reportFile(given.report);
  const outcomes = new Outcomes((problem) => report?.write(problem));
  await mirrorInto({ client, upstream, state, given, outcomes, progress, interrupted: interruption.signal });
  progress.finish();
  await report?.end();
  const open = state.openCount();
  state.close();
  const isInterrupted = interruption.signal.aborted;
  if (isInterrupted) console.log('interrupted: the same command goes on from here');
  console.log(outcomes.table());
  if (open > 0)
    console.log(`\nincomplete: ${open} ${open === 1 ? 'part' : 'parts'} of the lists, which the next run tries again`);
  if (isInterrupted && given.everyMs === null) return EXIT.interrupted;
  if (outcomes.failed > 0) return EXIT.failed;
  return outcomes.refused > 0 ? EXIT.refused : EXIT.good;
}

const politenessOf = ({ perSecond, parallel }: MirrorArguments) => ({
  ...MIRROR_REQUESTS,
  perSecond,
  parallel,
  longestWaitMs: LONGEST_WAIT_MS,
});

await runProgram(main);
