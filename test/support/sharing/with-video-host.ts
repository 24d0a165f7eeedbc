// Runs a command with a video host on this machine, to try sharing without an account: `... with-video-host.ts npm start`.
import { spawn } from 'node:child_process';
import { FakeVideoHost } from './fake-video-host.ts';

const [command, ...rest] = process.argv.slice(2);
if (command === undefined) throw new Error('Expected a command to run, got none.');

const host = await new FakeVideoHost().start();
console.error(`a video host is at ${host.url}`);
// The service has a key of its own.
const { SESSION_KEY, ...environment } = host.environment();
const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...environment } });
// This one ends when the command has, which Ctrl-C reaches by itself.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', async (code) => {
  await host.stop();
  process.exit(code ?? 1);
});
