// Independent readers of JPX files: Debian's glymur (python3-glymur) and opj_dump, opj_decompress.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The Python that Debian's packages are for. */
const PYTHON = '/usr/bin/python3';

export const hasGlymur = spawnSync(PYTHON, ['-c', 'import glymur']).status === 0;
export const hasOpjDump = !spawnSync('opj_dump', ['-h']).error && !spawnSync('opj_decompress', ['-h']).error;

/** A box as glymur sees it. */
export interface ReadBox {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  readonly boxes: readonly ReadBox[];
  /** Content of boxes that glymur parses, as text. */
  readonly text: string;
}

const SCRIPT = `
import glymur, json, sys, warnings
caught = []
def boxes(box):
    return [{'id': b.box_id, 'offset': b.offset, 'length': b.length, 'boxes': boxes(b) if hasattr(b, 'box') else [],
             'text': '' if b.box_id == 'jp2c' else str(b)} for b in box.box]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    file = glymur.Jp2k(sys.argv[1])
    result = {'boxes': boxes(file), 'warnings': [str(w.message) for w in caught]}
print(json.dumps(result))
`;

function inFolder<T>(job: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'helioedge-jpx-'));
  try {
    return job(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error(`Expected ${program} to read the file, got ${stdout}${stderr}`);
  return stdout + stderr;
}

/** The boxes of a file and the warnings about it. */
export function readWithGlymur(file: Uint8Array): { boxes: ReadBox[]; warnings: string[] } {
  return inFolder((folder) => {
    const path = join(folder, 'file.jpx');
    writeFileSync(path, file);
    return JSON.parse(run(PYTHON, ['-c', SCRIPT, path]));
  });
}

/** Output of opj_dump for a file. */
export function dumpWithOpj(file: Uint8Array): string {
  return inFolder((folder) => {
    const path = join(folder, 'file.jp2');
    writeFileSync(path, file);
    return run('opj_dump', ['-i', path]);
  });
}

/** Pixels that opj_decompress makes of the first codestream of a file with boxes: the whole PNM file. */
export function decodeWithOpj(file: Uint8Array): Buffer {
  return inFolder((folder) => {
    const [from, to] = [join(folder, 'file.jp2'), join(folder, 'file.pnm')];
    writeFileSync(from, file);
    run('opj_decompress', ['-i', from, '-o', to]);
    return readFileSync(to);
  });
}
