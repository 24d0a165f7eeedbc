// npm start: keeps the service of serve.ts running, until a signal or the end of npm.
import { join } from 'node:path';
import { LAUNCHER_VARIABLES } from '../platform/settings/launcher.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { onInterrupt } from '../platform/util/interrupt.ts';
import { runProgram } from './command.ts';
import { RETRY_STATUS, Supervised } from './local/supervised.ts';

/** Exceeds the time that the service gives itself, and leaves room within the two seconds that a stop may take. */
const STOP_MS = 1_500;
/** Failed starts before the first success, those of a hung or killed process among them. */
const MOST_FAILURES = 5;

async function main(): Promise<number> {
  const { HANG_SECONDS: hangSeconds } = readVariables(LAUNCHER_VARIABLES, process.env);
  let wasReady = false;
  let failures = 0;
  const service = new Supervised({
    name: 'the service',
    args: [join(import.meta.dirname, 'serve.ts')],
    hangSeconds,
    stopMs: STOP_MS,
    leadsGroup: true,
    onMessage: (url) => {
      if (wasReady) console.error(`the service runs again at ${url}`);
      else console.log(`ready ${url}`);
      wasReady = true;
    },
    isFinal: (code) => {
      failures += 1;
      const mayRecover = code === null || code === RETRY_STATUS;
      return !wasReady && (!mayRecover || failures >= MOST_FAILURES);
    },
    say: (line) => console.error(line),
  });
  onInterrupt(() => void service.stop());
  return service.ended;
}

await runProgram(main);
process.exit();
