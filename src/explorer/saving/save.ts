// Saves what play shows as a movie: frames drawn as on the screen with what lies over them, encoded by the browser. Loads with the first one.
import '../picture/tile-sheet.ts';
import type { MetadataTags } from 'mediabunny';
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, WebMOutputFormat } from 'mediabunny';
import { SAVED_MOVIE } from '../../platform/limits/movies.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { PageError } from '../api/request.ts';
import { type Encoding, encodingsOf, savedArea } from '../model/movie-form.ts';
import { MotionCanvas } from '../motion/canvas.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf, type Textures } from '../motion/layer-frames.ts';
import { captioned } from '../page/caption.tsx';
import { devicePixels, type Viewport } from '../picture/geometry.ts';
import { projectedOf } from '../picture/picture.ts';
import { permanentAddress } from '../store/address.ts';
import { eventsOfPicture } from '../store/events.ts';
import { currentPicture, frameOf, present } from '../store/open.ts';
import { hasCredit, rebased, type Shown } from '../store/state.ts';
import { saving } from '../texts/more.ts';
import { texts, utc } from '../texts.ts';
import { momentsToPlay, shownAt } from '../time/moments.ts';
import { fileName } from './files.ts';
import { creditsOf, overlayPicture } from './overlays.tsx';

/**
 * An area in the pixels of a movie, and as the page would show it: its lines and texts have the size of those on the screen. `unit`: pixels of
 * the movie per pixel of the page.
 * @param area In pixels of the screen
 * @param pageScale Arcseconds per pixel of the page
 */
function layoutOf(area: Viewport, pageScale: number) {
  const { camera, size } = savedArea(area);
  const unit = Math.max(Math.min(pageScale / camera.scale, devicePixels()), 1);
  const viewport = {
    camera: { ...camera, scale: camera.scale * unit },
    size: { width: size.width / unit, height: size.height / unit },
  };
  return { size, viewport, unit };
}

/** Reused, because browsers take the graphics processor from the first of several. */
let canvas: MotionCanvas | null = null;

function motionCanvas(): MotionCanvas | null {
  if (!canvas || canvas.isLost) canvas = MotionCanvas.create();
  return canvas;
}

const free = (motion: MotionCanvas, textures: Textures) => {
  for (const texture of textures.values()) motion.free(texture);
};

async function* loaded(
  states: readonly Shown[],
  viewport: Viewport,
  motion: MotionCanvas,
  signal: AbortSignal,
): AsyncGenerator<readonly [Shown, Textures]> {
  const begun: Promise<Textures>[] = [];
  const load = async (state: Shown) => {
    const textures = loadTextures(pathsOf(frameOf(state), 'fine', viewport, state.view.projection), { canvas: motion, signal });
    begun.push(textures);
    return [state, await textures] as const;
  };
  await loadTables(states.flatMap(frameOf), signal, true);
  try {
    for await (const one of inOrder(states, SAVED_MOVIE.ahead, load)) {
      yield one;
      free(motion, one[1]);
    }
  } finally {
    for (const one of begun) one.then((textures) => free(motion, textures)).catch(() => undefined);
  }
}

/** Yields the same canvas with each picture. Null in a browser without WebGL 2. @throws as `loadTextures`, `overlayPicture` */
async function picturesOf(states: readonly Shown[], { size, viewport, unit }: ReturnType<typeof layoutOf>, signal: AbortSignal) {
  const motion = motionCanvas();
  if (!motion) return null;
  const parts = { caption: true, scale: true, credits: hasCredit.value ? await creditsOf(states[0]!) : [] };
  const element = Object.assign(document.createElement('canvas'), size);
  const context = element.getContext('2d', { alpha: false })!;
  const background = getComputedStyle(document.querySelector('.stage')!).backgroundColor;
  // The canvas has `devicePixels` of its own pixels in one of the page.
  const drawn = { ...viewport, size: { width: size.width / devicePixels(), height: size.height / devicePixels() } };
  const camera = { ...viewport.camera, scale: (viewport.camera.scale / unit) * devicePixels() };
  async function* pictures() {
    for await (const [state, textures] of loaded(states, { camera, size: drawn.size }, motion!, signal)) {
      const frame = frameOf(state);
      const projected = projectedOf(frame, state.view.projection);
      motion!.draw(drawnLayers(frame, textures), { projected, camera, size: drawn.size });
      const above = await overlayPicture({ pixels: size, viewport, parts }, state, await eventsOfPicture(state.view));
      if (motion!.isLost) throw new PageError(saving.encoderFailed);
      context.fillStyle = background;
      context.fillRect(0, 0, size.width, size.height);
      for (const picture of [motion!.element, above]) context.drawImage(picture, 0, 0);
      yield element;
    }
  }
  return pictures();
}

const SECOND_US = 1_000_000;

async function firstSupported([encoding, ...others]: readonly Encoding[]): Promise<Encoding | null> {
  if (!encoding) return null;
  const { supported } = await VideoEncoder.isConfigSupported(encoding.config).catch(() => ({ supported: false }));
  return supported ? encoding : firstSupported(others);
}

class MovieWriter {
  readonly #framerate: number;
  readonly #target = new BufferTarget();
  readonly #output: Output;
  readonly #encoder: VideoEncoder;
  readonly #failed = Promise.withResolvers<never>();
  #written: Promise<void>;
  #frames = 0;

  constructor({ codec, config }: Encoding, tags: MetadataTags) {
    this.#framerate = config.framerate;
    const format = codec === 'avc' ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat();
    this.#output = new Output({ format, target: this.#target });
    const source = new EncodedVideoPacketSource(codec);
    this.#output.addVideoTrack(source, { frameRate: this.#framerate });
    this.#output.setMetadataTags(tags);
    this.#written = this.#output.start();
    this.#encoder = new VideoEncoder({
      output: (chunk, meta) => {
        this.#written = this.#written.then(() => source.add(EncodedPacket.fromEncodedChunk(chunk), meta));
      },
      error: (error) => this.#failed.reject(error),
    });
    this.#encoder.configure(config);
    // It is awaited only while frames are added.
    this.#failed.promise.catch(() => undefined);
  }

  get extension(): string {
    return this.#output.format.fileExtension;
  }

  /** Adds a picture of the size of the movie. Resolves when the encoder takes another one. @throws DOMException where it fails */
  async add(picture: HTMLCanvasElement): Promise<void> {
    const duration = SECOND_US / this.#framerate;
    const timestamp = Math.round(this.#frames * duration);
    const frame = new VideoFrame(picture, { timestamp, duration: Math.round(duration), alpha: 'discard' });
    this.#encoder.encode(frame, { keyFrame: this.#frames % SAVED_MOVIE.keyFrames === 0 });
    frame.close();
    this.#frames += 1;
    while (this.#encoder.encodeQueueSize > SAVED_MOVIE.waiting) {
      const taken = new Promise((resolve) => this.#encoder.addEventListener('dequeue', resolve, { once: true }));
      await Promise.race([taken, this.#failed.promise]);
    }
  }

  async finish(): Promise<Blob> {
    await Promise.race([this.#encoder.flush(), this.#failed.promise]);
    await this.#written;
    await this.#output.finalize();
    return new Blob([this.#target.buffer!], { type: this.#output.format.mimeType });
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
    if (this.#output.state !== 'finalized') void this.#output.cancel();
  }
}

interface SavingOptions {
  /** In pixels of the screen. */
  readonly area: Viewport;
  readonly rate: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** The states of the page while it plays, in the styles that its layers have now. */
async function playedStates(now: Shown, signal: AbortSignal): Promise<readonly Shown[]> {
  const moments = await momentsToPlay(now, false, signal);
  if (!moments) throw new PageError(texts.time.nothingToPlay);
  const { list, since } = moments;
  return list.map((moment) => rebased(shownAt(moment, since), since, now));
}

/** Encodes the range of play. @throws PageError with the reason; the reason of the signal; as `loadTextures` */
export async function saveMovie({ area, rate, signal, onProgress }: SavingOptions) {
  const now = present()!;
  const names = captioned(now).map(({ name }) => name);
  const address = permanentAddress();
  const pageScale = currentPicture()!.camera!.scale;
  const states = await playedStates(now, signal);
  const layout = layoutOf(area, pageScale);
  const encoding = await firstSupported(encodingsOf(layout.size, rate));
  const pictures = encoding && (await picturesOf(states, layout, signal));
  if (!encoding || !pictures) throw new PageError(saving.unsupported);
  const [startMs, endMs] = [states[0]!.view.atMs, states.at(-1)!.view.atMs];
  const title = `${names.join(', ')} · ${utc(startMs)} – ${utc(endMs)}`;
  const writer = new MovieWriter(encoding, {
    title,
    artist: SERVICE_NAME,
    comment: `Address: ${address.slice(location.origin.length)}`,
  });
  const name = fileName([startMs, endMs], names, writer.extension);
  try {
    onProgress(0, states.length);
    let done = 0;
    for await (const picture of pictures) {
      await writer.add(picture);
      signal.throwIfAborted();
      done += 1;
      onProgress(done, states.length);
    }
    const file = await writer.finish();
    signal.throwIfAborted();
    return { file, name, frames: states.length, ...layout.size };
  } catch (error) {
    // What the encoder throws; a failed request has been turned into a sentence.
    if (error instanceof DOMException && !signal.aborted) throw new PageError(saving.encoderFailed);
    throw error;
  } finally {
    writer.close();
  }
}
