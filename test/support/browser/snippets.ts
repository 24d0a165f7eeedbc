// Runs the code that the explorer shows for a view, in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasModules, PYTHON } from '../programs.ts';
import { inFolder } from '../system/in-folder.ts';

/** Whether SunPy can read JPEG 2000 files and draw them. */
export const hasSunpy = hasModules('sunpy', 'matplotlib', 'glymur');

/** The interface of hvpy 1.1 as far as the code uses it, because Debian has no package of it: parameters go into the query as text. */
const HVPY = {
  'config.py': `
base = None
def set_api_url(url):
    global base
    base = url
`,
  '__init__.py': `
import pathlib, urllib.parse, urllib.request
from . import config
def takeScreenshot(date, imageScale, layers, eventLabels=False, scale=False, display=False, watermark=False, **others):
    parameters = dict(others, date=date.isoformat() + 'Z', imageScale=imageScale, layers=layers, eventLabels=eventLabels,
                      scale=scale, display=display, watermark=watermark)
    query = urllib.parse.urlencode(parameters)
    return urllib.request.urlopen(config.base + 'takeScreenshot/?' + query).read()
def save_file(data, filename, overwrite=False):
    pathlib.Path(filename).write_bytes(data)
`,
};

export interface RunSnippet {
  readonly stdout: string;
  /** A file that the snippet wrote. */
  file(name: string): Promise<Buffer>;
}

/**
 * Runs a snippet by Python or by a shell that stops at the first failure, and calls `check` while its folder exists.
 * @throws Error with its output when it fails
 */
export async function runSnippet(
  language: 'python' | 'shell',
  text: string,
  check: (run: RunSnippet) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    await mkdir(join(folder, 'hvpy'));
    for (const [name, content] of Object.entries(HVPY)) await writeFile(join(folder, 'hvpy', name), content);
    await writeFile(join(folder, 'snippet'), text);
    const [program, ...args] = language === 'python' ? [PYTHON, 'snippet'] : ['sh', '-e', 'snippet'];
    // Without a display, and with the caches of SunPy and astropy in the folder.
    const env = { ...process.env, MPLBACKEND: 'agg', HOME: folder };
    const child = spawn(program!, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
    if (code !== 0) throw new Error(`Expected the code to run, got ${String(code)}: ${stderr}`);
    await check({ stdout, file: (name) => readFile(join(folder, name)) });
  });
}
