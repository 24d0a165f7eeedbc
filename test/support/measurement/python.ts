// Python programs that compute independently of the service, with the packages of Debian.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Python that has this module: that of the system, where Debian's packages are, or the one in the path; null for none. */
export function pythonWith(module: string): string | null {
  const found = ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', `import ${module}`]).status === 0);
  return found ?? null;
}

/** The output of a program of this folder. */
export function runPython(python: string, program: string, input = '', parameters: readonly string[] = []): string {
  const path = resolve(import.meta.dirname, program);
  return execFileSync(python, [path, ...parameters], { input, encoding: 'utf8', maxBuffer: 256 << 20 });
}

/** The same of a program that sends requests to this process. */
export async function runPythonBeside(python: string, program: string, parameters: readonly string[]): Promise<string> {
  return (await run(python, [resolve(import.meta.dirname, program), ...parameters], { encoding: 'utf8' })).stdout;
}
