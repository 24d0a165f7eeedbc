// The Worker as `src/cli/build/worker.ts` leaves it in build/local, for Miniflare.
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { extname, join, resolve } from 'node:path';
import type { SourcelessWorkerOptions } from 'wrangler';
import { projectRoot } from '../command.ts';

export const BUILT_WORKER = join(projectRoot, 'build', 'local');
/** The file in that folder which describes the Worker, written last. */
export const MANIFEST = 'worker.json';
const SOURCE_MAP = 'local.js.map';

/** Types of the modules of a bundle by the ends of their names, the entry point first; what else wrangler writes is not of the Worker. */
const MODULE_TYPES = { '.js': 'ESModule', '.wasm': 'CompiledWasm', '.ttf': 'Data', '.svg': 'Text' } as const;

export type WorkerOptions = SourcelessWorkerOptions & { readonly assets: { readonly directory: string } };

export interface Manifest {
  readonly name: string;
  /** With the folder of the assets relative to the project. */
  readonly options: WorkerOptions;
}

/** @throws Error when the Worker has not been built */
export async function readBuiltWorker() {
  const text = await readFile(join(BUILT_WORKER, MANIFEST), 'utf8');
  const { name, options } = JSON.parse(text) as Manifest;
  const { assets } = options;
  const files = await readdir(BUILT_WORKER);
  const modules = Object.entries(MODULE_TYPES).flatMap(([end, type]) => {
    const paths = files.filter((file) => extname(file) === end).map((file) => join(BUILT_WORKER, file));
    const isText = type === 'ESModule' || type === 'Text';
    const read = async (path: string) => (isText ? await readFile(path, 'utf8') : new Uint8Array(await readFile(path)));
    return paths.map(async (path) => ({ type, path, contents: await read(path) }));
  });
  return {
    name,
    options: { ...options, assets: { ...assets, directory: join(projectRoot, assets.directory) } } as WorkerOptions,
    modulesRoot: BUILT_WORKER,
    modules: await Promise.all(modules),
    /** A text with stack lines of the bundle, as stack lines of the sources. */
    mapped: stackMapper(),
  };
}

/** Line and column of a stack line, after the name of the bundle. */
const BUNDLE_POSITION = /(?:file:\/\/)?[^\s()]*local\.js:(\d+):(\d+)/g;

function stackMapper(): (text: string) => string {
  let map: SourceMap | null = null;
  return (text) =>
    text.replace(BUNDLE_POSITION, (position, line: string, column: string) => {
      map ??= new SourceMap(JSON.parse(readFileSync(join(BUILT_WORKER, SOURCE_MAP), 'utf8')) as SourceMapPayload);
      const origin = map.findOrigin(Number(line), Number(column));
      return 'fileName' in origin
        ? `${resolve(BUILT_WORKER, origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
        : position;
    });
}
