// npm run mirror -- --from-tree URL | --from-api URL --sources LIST
import { interruption } from '../util/interrupt.ts';
import { adminJson, runningService } from './ingest/admin-client.ts';
import { EXIT, Outcomes } from './ingest/outcomes.ts';
import { reportFile } from './ingest/report-file.ts';
import { HELP, mirrorArguments } from './mirror/mirror-arguments.ts';
import { mirrorRuns } from './mirror/mirror-run.ts';
import { showProgress } from './progress.ts';
import { runProgram } from './run.ts';
import { serviceAccess } from './settings.ts';

async function main(): Promise<number> {
  const given = mirrorArguments(process.argv.slice(2));
  if (!given) {
    console.log(HELP);
    return process.argv.length > 2 ? EXIT.good : EXIT.failed;
  }
  const [serviceUrl, token] = await serviceAccess(process.env);
  await runningService(serviceUrl, token);
  const interrupted = interruption();
  const progress = showProgress('mirror');
  const report = given.report === null ? null : reportFile(given.report);
  const outcomes = new Outcomes((problem) => report?.write(problem));
  const open = await mirrorRuns({ json: adminJson(serviceUrl, token), given, outcomes, progress, interrupted });
  progress.finish();
  await report?.end();
  if (interrupted.aborted) console.log('interrupted: the same command continues from here');
  console.log(outcomes.table());
  if (open > 0)
    console.log(`\nincomplete: ${open} ${open === 1 ? 'part' : 'parts'} of the lists, which the next run tries again`);
  if (interrupted.aborted && given.everyMs === null) return EXIT.interrupted;
  return outcomes.exitStatus;
}

await runProgram(main);
