import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { projectRoot } from './settings.ts';

export const WRANGLER = 'node_modules/wrangler/bin/wrangler.js';

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Standard input of the program; empty unless given. */
  readonly input?: string;
}

/** A program exited with a status other than 0. The message ends with its output. */
export class ProgramError extends Error {}

/** Runs a program of the project or its packages. @returns standard output and error @throws ProgramError when it fails */
export async function run(program: string, args: readonly string[] = [], { env = {}, input }: RunOptions = {}): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(projectRoot, program), ...args], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  process.off('exit', stop);
  if (code !== 0) throw new ProgramError(`${program} ${args.join(' ')} failed.\n${output.trim()}`);
  return output;
}

/** Runs the main function of a command. Its number is the exit status, otherwise 0; an error ends it with its message and status 1. */
export async function runProgram(main: () => Promise<unknown>): Promise<void> {
  try {
    const status = await main();
    process.exitCode = typeof status === 'number' ? status : 0;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean', default: false } as const;

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** Runs a command with the arguments of this process. Prints its help with `--help`, and, with status 1, where it is not complete. */
export const command = <const O extends Options>(
  help: string,
  options: O,
  main: (parsed: Parsed<O>) => Promise<unknown>,
  isComplete: (parsed: Parsed<O>) => boolean = ({ positionals }) => positionals.length === 0,
): Promise<void> =>
  runProgram(async () => {
    const parsed = parseArgs({ options: { ...options, help: FLAG }, allowPositionals: true }) as unknown as Parsed<O>;
    const isHelp = (parsed.values as { readonly help?: boolean }).help;
    if (!isHelp && isComplete(parsed)) return main(parsed);
    console.log(help);
    return isHelp ? 0 : 1;
  });
