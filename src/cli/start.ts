// npm start: runs the service of serve.ts and keeps it running, until a signal or the end of the process that started this one.
import { join } from 'node:path';
import { onInterrupt } from '../util/interrupt.ts';
import { Supervisor } from './local/supervisor.ts';
import { projectRoot } from './settings.ts';

const PROGRAM = 'src/cli/serve.ts';
const PARENT_CHECK_MS = 1_000;
/** Argument by which the launcher starts this program in place of one that was killed after its `ready` line. */
const AGAIN = '--again';

/** Interval of the signs of life, in milliseconds. */
const ALIVE_INTERVAL_MS = 1_000;

const tellLauncher = (message: 'alive' | 'ready') => process.connected && process.send?.(message, () => undefined);
const say = (line: string) => console.error(line);

const supervisor = new Supervisor(
  {
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(projectRoot, PROGRAM)],
    onReady: (url, isRestart) => {
      if (isRestart) say(`the service runs again at ${url}`);
      else console.log(`ready ${url}`);
      tellLauncher('ready');
    },
    say,
  },
  process.argv.includes(AGAIN),
);

setInterval(() => tellLauncher('alive'), ALIVE_INTERVAL_MS).unref();
onInterrupt(() => supervisor.stop());
const parent = process.ppid;
// A launcher that was killed cannot pass on signals, and nothing may outlive it.
setInterval(() => {
  if (process.ppid !== parent) supervisor.stop();
}, PARENT_CHECK_MS).unref();
process.exitCode = await supervisor.run();
process.exit();
