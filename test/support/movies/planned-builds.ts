// Builds for small movies of the sample archive, and the movie worker as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { seriesShots } from '../../../demo/archive.ts';
import { planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { type MovieRecipe, movieRecipeString } from '../../../src/movies/movie-recipe.ts';
import { type SceneParameters, sceneFromParameters } from '../../../src/picture/recipe.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { type SampleArchive, sampleArchive } from '../sample-archive.ts';
import { MOVIE_TOKEN } from './internal-service.ts';
import type { PlannedBuild } from './movie-service.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
export const MOVIE_START_MS = Date.UTC(2024, 4, 10);

/** Archive with AIA 171 every minute and LASCO C2 every six minutes. */
export async function movieArchive(minutes: number, size = 128): Promise<SampleArchive> {
  const series = (sourceId: number, cadenceMs: number) =>
    seriesShots({
      sources: [sourceId],
      fromMs: MOVIE_START_MS,
      toMs: MOVIE_START_MS + (minutes - 1) * MINUTE_MS,
      cadenceMs,
      size,
    });
  return sampleArchive([...series(10, MINUTE_MS), ...series(4, 6 * MINUTE_MS)]);
}

/** The full disk on 96 x 64 pixels. */
export const SCENE: SceneParameters = {
  layers: '[10,1,100]',
  imageScale: 40,
  x0: 0,
  y0: 0,
  width: 96,
  height: 64,
  watermark: true,
};

/** A build of a movie with a frame at each image of the first layer, from image number `first` on, at 10 frames per second. */
export async function plannedBuild(
  { index, images }: SampleArchive,
  scene: Partial<SceneParameters> = {},
  changes: Partial<MovieRecipe> = {},
  first = 0,
): Promise<PlannedBuild> {
  const { scene: shown } = sceneFromParameters({ ...SCENE, ...scene });
  const ofFirstLayer = images.filter(({ sourceId }) => sourceId === shown.layers[0]?.sourceId);
  const times = ofFirstLayer.map(({ takenAtMs }) => takenAtMs).slice(first);
  const recipe: MovieRecipe = {
    scene: shown,
    startMs: times[0] ?? 0,
    endMs: times.at(-1) ?? 0,
    followViewport: false,
    viewedAtMs: null,
    size: 0,
    overlayMagnification: 1,
    frameRate: 10,
    ...changes,
  };
  const frames = await Promise.all(
    times.map(async (atMs) => {
      const { layers } = await planFrame(index, { ...shown, atMs });
      const ids = layers.map(({ image, reference }) => (reference ? ([image.id, reference.id] as const) : ([image.id] as const)));
      return { atMs, images: ids };
    }),
  );
  return {
    recipe: movieRecipeString(recipe),
    frames,
    images,
    output: { width: shown.width, height: shown.height },
    metadata: {
      title: 'SDO AIA 171 (2024-05-10 00:00:00 UTC)',
      description: 'A movie for tests',
      comment: 'Made by the tests',
      createdAtMs: MOVIE_START_MS,
    },
  };
}

export type MovieWorker = Awaited<ReturnType<typeof startMovieWorker>>;

/**
 * Starts a movie worker, that of the project unless `program` names another; resolves when it listens.
 * @throws Error with its output when it exits before
 */
export async function startMovieWorker(
  serviceUrl: string,
  workDir: string,
  env: NodeJS.ProcessEnv = {},
  program = join(root, 'build/movie/main.mjs'),
) {
  const name = env.WORKER_NAME ?? 'tested';
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      SERVICE_URL: serviceUrl,
      MOVIE_TOKEN,
      WORK_DIR: workDir,
      WORKER_NAME: name,
      PORT: '0',
      DRAW_THREADS: '1',
      POLL_SECONDS: '0.2',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const url = await new Promise<string>((listens, failed) => {
    const receive = (text: string) => {
      output += text;
      const line = / listens on (\S+),/.exec(output);
      if (line) listens(line[1] as string);
    };
    child.stdout?.setEncoding('utf8').on('data', receive);
    child.stderr?.setEncoding('utf8').on('data', receive);
    void ended.then((code) => failed(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    name,
    url,
    pid: child.pid as number,
    /** Standard output and error so far. */
    output: () => output,
    ended,
    /** Closes the reading ends of its output, as a supervisor that dies does. */
    closeOutput: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
