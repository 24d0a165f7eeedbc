// Independent readers of JPX files: Debian's glymur (python3-glymur) and opj_dump, opj_decompress.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasModules, isInstalled, outputOf, PYTHON } from '../programs.ts';
import { inFolderSync } from '../system/in-folder.ts';

export const hasGlymur = hasModules('glymur');
export const hasOpjDump = ['opj_dump', 'opj_decompress'].every(isInstalled);

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
def boxes(box):
    return [{'id': b.box_id, 'offset': b.offset, 'length': b.length, 'boxes': boxes(b) if hasattr(b, 'box') else [],
             'text': '' if b.box_id == 'jp2c' else str(b)} for b in box.box]
def read(path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        file = glymur.Jp2k(path)
        return {'boxes': boxes(file), 'warnings': [str(w.message) for w in caught]}
print(json.dumps([read(path) for path in sys.argv[1:]]))
`;

/** The boxes of files and the warnings about them. One start of Python, which takes as long as reading some hundred files. */
export function readWithGlymur(files: readonly Uint8Array[]): { boxes: ReadBox[]; warnings: string[] }[] {
  return inFolderSync((folder) => {
    const paths = files.map((file, i) => {
      const path = join(folder, `file-${i}.jpx`);
      writeFileSync(path, file);
      return path;
    });
    return JSON.parse(outputOf(PYTHON, ['-c', SCRIPT, ...paths]).toString());
  });
}

/** Output of opj_dump for a file. */
export function dumpWithOpj(file: Uint8Array): string {
  return inFolderSync((folder) => {
    const path = join(folder, 'file.jp2');
    writeFileSync(path, file);
    return outputOf('opj_dump', ['-i', path]).toString();
  });
}

/** Pixels that opj_decompress makes of the first codestream of a file with boxes, at a quarter of its size: the whole PNM file. */
export function decodeWithOpj(file: Uint8Array): Buffer {
  return inFolderSync((folder) => {
    const [from, to] = [join(folder, 'file.jp2'), join(folder, 'file.pnm')];
    writeFileSync(from, file);
    outputOf('opj_decompress', ['-i', from, '-o', to, '-r', '2']);
    return readFileSync(to);
  });
}
