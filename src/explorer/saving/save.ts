// Saves what play shows as a movie: frames drawn as on the screen with what lies over them, encoded by the browser. Loads with the first one.
import '../picture/tile-sheet.ts';
import type { MetadataTags, OutputFormat } from 'mediabunny';
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, WebMOutputFormat } from 'mediabunny';
import { SAVED_MOVIE } from '../../platform/limits/movies.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { PageError } from '../api/request.ts';
import { type Encoding, encodingsOf, savedArea } from '../model/movie-form.ts';
import { keptCanvas } from '../motion/canvas.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf, type Textures } from '../motion/layer-frames.ts';
import { captioned } from '../page/caption.tsx';
import { devicePixels, enlarged, type Viewport } from '../picture/geometry.ts';
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

/** Reused, because browsers take the graphics processor from the first of several. */
const movieCanvas = keptCanvas();

/**
 * Yields the same canvas with each picture. Null in a browser without WebGL 2. `pixels`, `viewport`: an area in the pixels of a movie, and as the
 * page would show it.
 * @throws as `loadTextures`, `overlayPicture`
 */
async function picturesOf(
  states: readonly Shown[],
  { pixels, viewport }: Readonly<Record<'pixels' | 'viewport', Viewport>>,
  { signal, onProgress }: Pick<SavingOptions, 'signal' | 'onProgress'>,
) {
  const motion = movieCanvas();
  if (!motion) return null;
  const { size } = pixels;
  const parts = { caption: true, scale: true, credits: hasCredit.value ? await creditsOf(states[0]!) : [] };
  const element = Object.assign(document.createElement('canvas'), size);
  const context = element.getContext('2d', { alpha: false })!;
  const background = getComputedStyle(document.querySelector('.stage')!).backgroundColor;
  // The canvas has `devicePixels` of its own pixels in one of the page.
  const drawn = enlarged(pixels, devicePixels());
  const begun: Promise<Textures>[] = [];
  const load = async (state: Shown) => {
    const textures = loadTextures(pathsOf(frameOf(state), 'fine', drawn, state.view.projection), { canvas: motion, signal });
    begun.push(textures);
    return [state, await textures] as const;
  };
  const pictures = async function* () {
    let done = 0;
    onProgress(done, states.length);
    await loadTables(states.flatMap(frameOf), signal, true);
    try {
      for await (const [state, textures] of inOrder(states, SAVED_MOVIE.ahead, load)) {
        const frame = frameOf(state);
        motion.draw(drawnLayers(frame, textures), { ...drawn, projected: projectedOf(frame, state.view.projection) });
        const above = await overlayPicture({ pixels: size, viewport, parts }, state, await eventsOfPicture(state.view));
        if (motion.isLost) throw new PageError(saving.encoderFailed);
        context.fillStyle = background;
        context.fillRect(0, 0, size.width, size.height);
        for (const picture of [motion.element, above]) context.drawImage(picture, 0, 0);
        yield element;
        motion.free(...textures.values());
        signal.throwIfAborted();
        done += 1;
        onProgress(done, states.length);
      }
    } finally {
      for (const one of begun) one.then((textures) => motion.free(...textures.values())).catch(() => undefined);
    }
  };
  return pictures();
}

const SECOND_US = 1_000_000;

async function firstSupported([encoding, ...others]: readonly Encoding[]): Promise<Encoding | null> {
  if (!encoding) return null;
  const { supported } = await VideoEncoder.isConfigSupported(encoding.config).catch(() => ({ supported: false }));
  return supported ? encoding : firstSupported(others);
}

/**
 * The file of pictures of the size of a movie, which are drawn while earlier ones are encoded.
 * @throws DOMException where the encoder fails; as the pictures
 */
async function encoded(
  pictures: AsyncIterable<HTMLCanvasElement>,
  { codec, config }: Encoding,
  format: OutputFormat,
  tags: MetadataTags,
) {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source, { frameRate: config.framerate });
  output.setMetadataTags(tags);
  const failed = Promise.withResolvers<never>();
  // It is awaited only while the encoder works.
  failed.promise.catch(() => undefined);
  let written = output.start();
  const encoder = new VideoEncoder({
    output: (chunk, meta) => {
      written = written.then(() => source.add(EncodedPacket.fromEncodedChunk(chunk), meta));
    },
    error: failed.reject,
  });
  const duration = SECOND_US / config.framerate;
  try {
    encoder.configure(config);
    let frames = 0;
    for await (const picture of pictures) {
      const times = { timestamp: Math.round(frames * duration), duration: Math.round(duration) };
      const frame = new VideoFrame(picture, { ...times, alpha: 'discard' });
      encoder.encode(frame, { keyFrame: frames % SAVED_MOVIE.keyFrames === 0 });
      frame.close();
      frames += 1;
      while (encoder.encodeQueueSize > SAVED_MOVIE.waiting) {
        const taken = new Promise((resolve) => encoder.addEventListener('dequeue', resolve, { once: true }));
        await Promise.race([taken, failed.promise]);
      }
    }
    await Promise.race([encoder.flush(), failed.promise]);
    await written;
    await output.finalize();
    return new Blob([target.buffer!], { type: format.mimeType });
  } finally {
    if (encoder.state !== 'closed') encoder.close();
    if (output.state !== 'finalized') void output.cancel();
  }
}

interface SavingOptions {
  /** In pixels of the screen. */
  readonly area: Viewport;
  readonly rate: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** Encodes the range of play. @throws PageError with the reason; the reason of the signal; as `loadTextures` */
export async function saveMovie({ area, rate, signal, onProgress }: SavingOptions) {
  const now = present()!;
  const names = captioned(now).map(({ name }) => name);
  const address = permanentAddress();
  const pageScale = currentPicture()!.camera!.scale;
  const moments = await momentsToPlay(now, false, signal);
  if (!moments) throw new PageError(texts.time.nothingToPlay);
  const { list, since } = moments;
  // In the styles that the layers have now.
  const states = list.map((moment) => rebased(shownAt(moment, since), since, now));
  const pixels = savedArea(area);
  // Lines and texts have the size of those on the screen.
  const viewport = enlarged(pixels, Math.max(Math.min(pageScale / pixels.camera.scale, devicePixels()), 1));
  const encoding = await firstSupported(encodingsOf(pixels.size, rate));
  const pictures = encoding && (await picturesOf(states, { pixels, viewport }, { signal, onProgress }));
  if (!encoding || !pictures) throw new PageError(saving.unsupported);
  const [startMs, endMs] = [states[0]!.view.atMs, states.at(-1)!.view.atMs];
  const title = `${names.join(', ')} · ${utc(startMs)} – ${utc(endMs)}`;
  const comment = `Address: ${address.slice(location.origin.length)}`;
  const format = encoding.codec === 'avc' ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat();
  const name = fileName([startMs, endMs], names, format.fileExtension);
  try {
    const file = await encoded(pictures, encoding, format, { title, artist: SERVICE_NAME, comment });
    signal.throwIfAborted();
    return { file, name, frames: states.length, ...pixels.size };
  } catch (error) {
    // What the encoder throws; a failed request has been turned into a sentence.
    if (error instanceof DOMException && !signal.aborted) throw new PageError(saving.encoderFailed);
    throw error;
  }
}
