// Runs a command with a fake video host, to try sharing without an account: `... with-video-host.ts npm start`.
import { spawn } from 'node:child_process';
import { FakeVideoHost } from './fake-video-host.ts';

const [command, ...rest] = process.argv.slice(2);
if (command === undefined) throw new Error('No command to run. Usage: with-video-host.ts COMMAND [ARGUMENT...]');

const host = await new FakeVideoHost().start();
console.error(`fake video host at ${host.url}`);
// The service generates a session key of its own.
const { SESSION_KEY, ...environment } = host.environment();
const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...environment } });
// Ends together with the command, which receives Ctrl-C itself.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', async (code) => {
  await host.stop();
  process.exit(code ?? 1);
});
