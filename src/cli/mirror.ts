// npm run mirror -- --from-tree URL | --from-api URL --sources LIST
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIRROR_REQUESTS } from '../config/limits/mirror.ts';
import { mirrorUpstream } from '../upstreams/mirror/mirror-upstream.ts';
import { MINUTE_MS } from '../util/durations.ts';
import { interruption } from '../util/interrupt.ts';
import { runningService } from './ingest/admin-client.ts';
import { EXIT, Outcomes } from './ingest/outcomes.ts';
import { reportFile } from './ingest/report-file.ts';
import { HELP, type MirrorArguments, mirrorArguments } from './mirror/mirror-arguments.ts';
import { mirrorInto } from './mirror/mirror-into.ts';
import { SqliteMirrorState } from './mirror/mirror-state.ts';
import { showProgress } from './progress.ts';
import { runProgram } from './run-program.ts';
import { adminTokenFrom, serviceUrlFrom, stateDirFrom } from './settings.ts';

/** Longest pause that an upstream may ask for; a longer one ends the run. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

async function main(): Promise<number> {
  const given = mirrorArguments(process.argv.slice(2));
  if (!given) {
    console.log(HELP);
    return process.argv.length > 2 ? EXIT.good : EXIT.failed;
  }
  const serviceUrl = serviceUrlFrom(process.env);
  const client = await runningService(serviceUrl, await adminTokenFrom(process.env, serviceUrl));
  const folder = stateDirFrom(process.env);
  await mkdir(folder, { recursive: true });
  const state = new SqliteMirrorState(join(folder, 'mirror.sqlite'), { serviceUrl, upstream: given.address });
  const interrupted = interruption();
  const upstream = mirrorUpstream(given.kind, given.address, politenessOf(given), interrupted);
  const progress = showProgress('mirror');
  const report = given.report === null ? null : reportFile(given.report);
  const outcomes = new Outcomes((problem) => report?.write(problem));
  await mirrorInto({ client, upstream, state, given, outcomes, progress, interrupted });
  progress.finish();
  await report?.end();
  const open = state.openCount();
  state.close();
  if (interrupted.aborted) console.log('interrupted: the same command goes on from here');
  console.log(outcomes.table());
  if (open > 0)
    console.log(`\nincomplete: ${open} ${open === 1 ? 'part' : 'parts'} of the lists, which the next run tries again`);
  if (interrupted.aborted && given.everyMs === null) return EXIT.interrupted;
  return outcomes.exitStatus;
}

const politenessOf = ({ perSecond, parallel }: MirrorArguments) => ({
  ...MIRROR_REQUESTS,
  perSecond,
  parallel,
  longestWaitMs: LONGEST_WAIT_MS,
});

await runProgram(main);
