// Start of an isolate: compiling the bundle of the Worker and running its top level in V8, and what of it the interfaces for other tools
// take. Times of parts are of the statements of their sources; compiling is paired with the bundle without their text.
import { basename } from 'node:path';
import { runInThisContext } from 'node:vm';
import { readBuiltWorker } from '../../../src/cli/local/built-worker.ts';
import { compiledModule } from '../../support/jp2/guarded-core.ts';
import { bundledSources, INTERFACES } from '../../support/system/interface-sources.ts';
import { clockMs, inTurns, median } from '../measure.ts';
import type { Bench } from '../run.ts';

const ROUNDS = 30;

const IMPORT = /^import (.+) from "([^"]+)";$/gm;

/** The bundle as the body of a function that takes its imports, because scripts have none. */
const asFunction = (bundle: string): string =>
  `(function (importedModules, sourceBegins) {\n${bundle
    .replaceAll(IMPORT, (_, names: string, path: string) => {
      const chosen = names.startsWith('{') ? names.replaceAll(' as ', ': ') : `{ default: ${names} }`;
      return `const ${chosen} = importedModules(${JSON.stringify(path)});`;
    })
    .replace(/^export \{[^}]*\};$/m, '')
    .replaceAll('import.meta', "({ url: 'https://localhost' })")}\n})`;

type Start = (imported: (path: string) => object, mark: (path: string) => void) => void;

let compiled = 0;
/** Compiles a text that V8 has not seen. */
const compile = (text: string): Start => runInThisContext(`// ${compiled++}\n${text}`) as Start;

/** Modules of the runtime that Node lacks: classes to extend. */
const WORKERS = { DurableObject: class {}, WorkerEntrypoint: class {}, waitUntil: () => undefined, exports: {} };

/** Milliseconds that the top level of each source takes, in one start. */
function timesOf(start: Start, imports: ReadonlyMap<string, object>): Map<string, number> {
  const times = new Map<string, number>();
  let [source, from] = ['', performance.now()];
  const mark = (path: string) => {
    const now = performance.now();
    times.set(source, (times.get(source) ?? 0) + now - from);
    [source, from] = [path, now];
  };
  start((path) => imports.get(path)!, mark);
  mark('');
  return times;
}

export const bench: Bench = async ({ add }) => {
  const worker = await readBuiltWorker();
  const bundle = worker.modules[0]!.contents as string;
  const sources = bundledSources(bundle);
  const isOfInterface = (path: string) => Object.values(INTERFACES).some((pattern) => pattern.test(path));
  const head = bundle.slice(0, bundle.indexOf(`// ${sources[0]!.path}\n`));
  const text = (parts: typeof sources) => head + parts.map(({ path, text: own }) => `// ${path}\n${own}`).join('');
  const whole = asFunction(text(sources));
  const without = asFunction(text(sources.filter(({ path }) => !isOfInterface(path))));
  const times = await inTurns(
    { whole: () => clockMs(() => compile(whole)), without: () => clockMs(() => compile(without)) },
    ROUNDS,
    3,
  );
  const [compileMs, withoutMs] = [median(times.whole), median(times.without)];

  const paths = [...bundle.matchAll(IMPORT)].map(([, , path]) => path!).filter((path) => path.startsWith('node:'));
  const files = worker.modules.slice(1).map(({ type, path, contents }) => {
    const isCompiled = type === 'CompiledWasm';
    return [`./${basename(path)}`, { default: isCompiled ? compiledModule(contents as Uint8Array) : contents }] as const;
  });
  const imports = new Map<string, object>([['cloudflare:workers', WORKERS], ...files]);
  for (const path of paths) imports.set(path, (await import(path)) as object);
  const marked = asFunction(
    head + sources.map(({ path, text: own }) => `// ${path}\nsourceBegins(${JSON.stringify(path)});\n${own}`).join(''),
  );
  const starts = Array.from({ length: ROUNDS }, () => timesOf(compile(marked), imports));
  const topLevel = (chosen: (path: string) => boolean) =>
    median(starts.map((times) => [...times].reduce((sum, [path, ms]) => sum + (chosen(path) ? ms : 0), 0)));

  add('compiling the bundle', 'time', 'ms', compileMs);
  add('of it the interfaces', 'time', 'ms', compileMs - withoutMs);
  add(
    'top level of the bundle',
    'time',
    'ms',
    topLevel(() => true),
  );
  add('of it the interfaces', 'time', 'ms', topLevel(isOfInterface));
  for (const [name, pattern] of Object.entries(INTERFACES)) {
    const ms = topLevel((path) => pattern.test(path));
    add(`of it ${name}`, 'time', 'ms', ms);
  }
};
