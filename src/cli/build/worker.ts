// Builds the Worker of the local service into build/local with its options of Miniflare, so that it starts without wrangler.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { unstable_DevEnv } from 'wrangler';
import { projectRoot } from '../command.ts';
import { BUILT_WORKER, MANIFEST, type Manifest, type ModuleType, SOURCE_MAP, type WorkerOptions } from '../local/built-worker.ts';
import { writeFolder } from './write-folder.ts';

type DevEnvOptions = NonNullable<ConstructorParameters<typeof unstable_DevEnv>[0]>;
type Factory<K extends keyof DevEnvOptions> = NonNullable<DevEnvOptions[K]>;
type RuntimeController = ReturnType<NonNullable<DevEnvOptions['runtimeFactories']>[number]>;
type BundleEvent = Parameters<RuntimeController['onBundleComplete']>[0];
type Bundle = BundleEvent['bundle'];

/** Module types of wrangler's bundles as Miniflare names them. */
const MODULE_TYPES: Readonly<Partial<Record<Bundle['type'] | NonNullable<Bundle['modules'][number]['type']>, ModuleType>>> = {
  esm: 'ESModule',
  commonjs: 'CommonJS',
  'compiled-wasm': 'CompiledWasm',
  text: 'Text',
  buffer: 'Data',
};
const CONFIG = join(projectRoot, 'wrangler.toml');
/** With a stand-in of Workers Cache. */
const ENTRY_POINT = join(projectRoot, 'src', 'worker', 'local.ts');

const registry = await mkdtemp(join(tmpdir(), 'helioedge-registry-'));
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'warn',
  WRANGLER_WRITE_LOGS: 'false',
  WRANGLER_REGISTRY_PATH: registry,
});
const wrangler = await import('wrangler');

const nothing = () => undefined;

/** Bundles the Worker of a configuration for `use`, without a development server, and removes the files. @throws Error of the compiler */
async function bundleWorker(config: string, use: (bundle: Bundle) => Promise<void>): Promise<void> {
  const { promise, resolve: complete, reject } = Promise.withResolvers<Bundle>();
  const runtime: Partial<RuntimeController> = {
    onBundleStart: nothing,
    onBundleComplete: ({ bundle }) => complete(bundle),
    teardown: async () => undefined,
  };
  const proxy = { onConfigUpdate: nothing, onBundleStart: nothing, teardown: async () => undefined };
  const environment = new wrangler.unstable_DevEnv({
    runtimeFactories: [() => runtime as RuntimeController],
    proxyFactory: () => proxy as Partial<ReturnType<Factory<'proxyFactory'>>> as ReturnType<Factory<'proxyFactory'>>,
  });
  const fail = (event: { readonly cause?: unknown }) => reject(event.cause ?? event);
  environment.once('buildFailed', fail).once('error', fail);
  try {
    await environment.config.set(
      { config, entrypoint: ENTRY_POINT, dev: { logLevel: 'warn', watch: false, inspector: false } },
      true,
    );
    await use(await promise);
  } finally {
    await environment.teardown();
  }
}

function moduleType(type: keyof typeof MODULE_TYPES): ModuleType {
  const known = MODULE_TYPES[type];
  if (known) return known;
  throw new Error(`The Worker has a module of type ${type}, which has no counterpart in MODULE_TYPES.`);
}

async function write(folder: string, { path, type, entrypointSource, modules, sourceMapPath }: Bundle): Promise<void> {
  const parts = [
    { file: 'index.js', type: moduleType(type), content: entrypointSource },
    ...modules.map(({ name, type: kind, content }) => ({ file: name, type: moduleType(kind ?? 'esm'), content })),
  ];
  for (const { file, content } of parts) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  if (sourceMapPath !== undefined) await copyFile(sourceMapPath, join(folder, SOURCE_MAP));
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(CONFIG);
  const { rootPath: _, assets, ...options } = workerOptions as WorkerOptions;
  const manifest: Manifest = {
    name: wrangler.unstable_readConfig({ config: CONFIG }, { hideWarnings: true }).name ?? 'helioedge',
    // Relative, because the folder of the project may be moved.
    options: { ...options, assets: { ...assets, directory: relative(projectRoot, assets.directory) } },
    modules: parts.map(({ file, type: kind }) => ({ type: kind, file })),
    sourceRoot: relative(projectRoot, resolve(dirname(sourceMapPath ?? path))),
  };
  await writeFile(join(folder, MANIFEST), JSON.stringify(manifest));
}

try {
  await writeFolder(BUILT_WORKER, (folder) => bundleWorker(CONFIG, (bundle) => write(folder, bundle)));
} catch (error) {
  const { message, cause } = error as Error;
  console.error(`The Worker does not build.\n${cause instanceof Error ? cause.message : message}`);
  process.exitCode = 1;
} finally {
  await rm(registry, { recursive: true, force: true });
}
