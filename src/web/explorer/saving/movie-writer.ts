// Encodes pictures as the frames of a movie by the encoder of the browser, which works aside of the page's own thread, and writes the file.
import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  type MetadataTags,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { SAVED_MOVIE } from '../../../config/limits/movies.ts';
import type { Encoding } from '../model/saved-movie.ts';

const SECOND_US = 1_000_000;

const configOf = ({ codec, name, width, height, framerate, bitrate }: Encoding): VideoEncoderConfig => ({
  codec: name,
  width,
  height,
  framerate,
  bitrate,
  bitrateMode: 'variable',
  latencyMode: 'quality',
  ...(codec === 'avc' ? { avc: { format: 'avc' } } : {}),
});

export async function firstSupported([encoding, ...others]: readonly Encoding[]): Promise<Encoding | null> {
  if (!encoding) return null;
  const { supported } = await VideoEncoder.isConfigSupported(configOf(encoding)).catch(() => ({ supported: false }));
  return supported ? encoding : firstSupported(others);
}

export class MovieWriter {
  readonly #encoding: Encoding;
  readonly #target = new BufferTarget();
  readonly #output: Output;
  readonly #encoder: VideoEncoder;
  readonly #failed = Promise.withResolvers<never>();
  #written: Promise<void>;
  #frames = 0;

  constructor(encoding: Encoding, tags: MetadataTags) {
    const { codec, framerate } = encoding;
    this.#encoding = encoding;
    const format = codec === 'avc' ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat();
    this.#output = new Output({ format, target: this.#target });
    const source = new EncodedVideoPacketSource(codec);
    this.#output.addVideoTrack(source, { frameRate: framerate });
    this.#output.setMetadataTags(tags);
    this.#written = this.#output.start();
    this.#encoder = new VideoEncoder({
      output: (chunk, meta) => {
        this.#written = this.#written.then(() => source.add(EncodedPacket.fromEncodedChunk(chunk), meta));
      },
      error: (error) => this.#failed.reject(error),
    });
    this.#encoder.configure(configOf(encoding));
    // It is awaited only while frames are added.
    this.#failed.promise.catch(() => undefined);
  }

  get extension(): string {
    return this.#output.format.fileExtension;
  }

  /** Adds a picture of the size of the movie. Resolves when the encoder takes another one. @throws DOMException where it fails */
  async add(picture: HTMLCanvasElement): Promise<void> {
    const duration = SECOND_US / this.#encoding.framerate;
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
