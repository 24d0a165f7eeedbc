// The Worker as wrangler bundles it for a deployment, without the development server that wrangler would put in front of it: that
// server is a second runtime, which takes four times the processor time of a small request.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { unstable_DevEnv } from 'wrangler';

type DevEnvOptions = NonNullable<ConstructorParameters<typeof unstable_DevEnv>[0]>;
type Factory<K extends keyof DevEnvOptions> = NonNullable<DevEnvOptions[K]>;
type RuntimeController = ReturnType<NonNullable<DevEnvOptions['runtimeFactories']>[number]>;
type BundleEvent = Parameters<RuntimeController['onBundleComplete']>[0];
type Module = BundleEvent['bundle']['modules'][number];

/** Module types of wrangler's bundles as Miniflare names them. */
const RULE_TYPES = {
  esm: 'ESModule',
  commonjs: 'CommonJS',
  'compiled-wasm': 'CompiledWasm',
  text: 'Text',
  buffer: 'Data',
} as const;

interface BundledModule {
  readonly type: (typeof RULE_TYPES)[keyof typeof RULE_TYPES];
  readonly path: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
}

export interface WorkerBundle {
  readonly modulesRoot: string;
  /** The entry point first. */
  readonly modules: BundledModule[];
  /** A text with stack lines of the bundle, as stack lines of the sources. */
  mapped(text: string): string;
}

const nothing = () => undefined;

/**
 * Bundles the Worker of a configuration file.
 * @throws Error with the output of the compiler when the Worker does not build
 */
export async function bundleWorker(DevEnv: typeof unstable_DevEnv, config: string): Promise<WorkerBundle> {
  const { promise, resolve: complete, reject } = Promise.withResolvers<BundleEvent['bundle']>();
  const runtime: Partial<RuntimeController> = {
    onBundleStart: nothing,
    onBundleComplete: ({ bundle }) => complete(bundle),
    teardown: async () => undefined,
  };
  const proxy = { onConfigUpdate: nothing, onBundleStart: nothing, teardown: async () => undefined };
  const environment = new DevEnv({
    runtimeFactories: [() => runtime as RuntimeController],
    proxyFactory: () => proxy as Partial<ReturnType<Factory<'proxyFactory'>>> as ReturnType<Factory<'proxyFactory'>>,
  });
  const fail = (event: { readonly cause?: unknown }) => reject(event.cause ?? event);
  environment.once('buildFailed', fail).once('error', fail);
  try {
    await environment.config.set({ config, dev: { logLevel: 'warn', watch: false, inspector: false } }, true);
    return withMap(await promise);
  } finally {
    await environment.teardown();
  }
}

function withMap({ path, type, entrypointSource, modules, sourceMapPath }: BundleEvent['bundle']): WorkerBundle {
  const modulesRoot = dirname(path);
  const map = sourceMapPath === undefined ? null : (JSON.parse(readFileSync(sourceMapPath, 'utf8')) as SourceMapPayload);
  const main = { type: ruleType(type), path, contents: entrypointSource };
  const others = modules.map(({ name, type: moduleType, content }) => ({
    type: ruleType(moduleType ?? 'esm'),
    path: resolve(modulesRoot, name),
    contents: content as BundledModule['contents'],
  }));
  return { modulesRoot, modules: [main, ...others], mapped: stackMapper(map, dirname(sourceMapPath ?? path)) };
}

function ruleType(type: NonNullable<Module['type']>): BundledModule['type'] {
  if (type in RULE_TYPES) return RULE_TYPES[type as keyof typeof RULE_TYPES];
  throw new Error(`Expected a module of ${Object.keys(RULE_TYPES).join(', ')} in the Worker, got ${type}.`);
}

/** Line and column of a stack line, after the name of the bundle. */
const BUNDLE_PLACE = /(?:file:\/\/)?[^\s()]*index\.js:(\d+):(\d+)/g;

function stackMapper(payload: SourceMapPayload | null, folder: string): (text: string) => string {
  if (!payload) return (text) => text;
  let map: SourceMap | null = null;
  return (text) =>
    text.replace(BUNDLE_PLACE, (place, line: string, column: string) => {
      map ??= new SourceMap(payload);
      const origin = map.findOrigin(Number(line), Number(column));
      return 'fileName' in origin ? `${resolve(folder, origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}` : place;
    });
}
