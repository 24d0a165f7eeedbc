// Uploads of movie files from workers. An upload becomes an object only when it is complete and its lease still holds, so that a
// late upload cannot replace the files of another worker.
import { Failure } from '../../domain/errors.ts';
import { MOVIE_FILES, type MovieFileName, SEGMENT_NAME, segmentMediaType } from '../../domain/movies/formats.ts';
import { PART_BYTES } from '../../domain/movies/job.ts';
import type { ClaimedBuild, IncomingObjects, MovieClaims, MovieUpload, MovieUploads } from '../../ports/movies.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { movieFileKey } from '../../storage/keys.ts';
import { writeExactly } from '../jpx/fixed-length.ts';

export interface MovieFilePorts {
  readonly claims: MovieClaims;
  readonly uploads: MovieUploads;
  readonly incoming: IncomingObjects;
  readonly objects: Pick<ObjectStore, 'stream' | 'delete'>;
  readonly clock: Clock;
}

/** A file, or a part of it, that a worker uploads. */
export interface FileUpload {
  readonly name: string;
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes of the body. */
  readonly length: number;
  /** Part number, from 1, and the number of parts of a multipart upload; null: the body is the whole file. */
  readonly part: { readonly partNumber: number; readonly of: number } | null;
}

const isMovieFile = (name: string): name is MovieFileName => Object.hasOwn(MOVIE_FILES, name);

export class MovieFiles {
  readonly #ports: MovieFilePorts;

  constructor(ports: MovieFilePorts) {
    this.#ports = ports;
  }

  /**
   * Stores a file or a part of it; false when the lease is lost. Idempotent.
   * @throws Failure `bad-parameter` for an unknown name, parts out of order, and bodies that are not as long as announced;
   * `body-too-large` for more than PART_BYTES
   */
  async store(buildId: number, lease: string, file: FileUpload): Promise<boolean> {
    expectStorable(file);
    const claimed = await this.#ports.claims.claimed(buildId, lease, this.#ports.clock());
    if (!claimed) return false;
    return file.part && file.part.of > 1 ? this.#storePart(claimed, file, file.part) : this.#storeWhole(claimed, file);
  }

  /** A segment that an earlier attempt stored; null when none has this name, `lost` when the lease is lost. */
  async readSegment(buildId: number, lease: string, name: string) {
    const claimed = await this.#ports.claims.claimed(buildId, lease, this.#ports.clock());
    if (!claimed) return 'lost';
    return claimed.segments.includes(name) ? this.#ports.objects.stream(movieFileKey(claimed.build, name)) : null;
  }

  /** Removes the segments, which a finished movie no longer needs. */
  async deleteSegments({ build, segments }: Pick<ClaimedBuild, 'build' | 'segments'>): Promise<void> {
    await Promise.all(segments.map((name) => this.#ports.objects.delete(movieFileKey(build, name))));
  }

  async #storeWhole(claimed: ClaimedBuild, { name, body, length }: FileUpload): Promise<boolean> {
    const key = movieFileKey(claimed.build, name);
    const write = (bytes: ReadableStream<Uint8Array>) => this.#ports.incoming.putStream(key, bytes, mediaType(name));
    const object = await writeExactly(body, length, write, () => this.#extendLease(claimed));
    return object !== null && this.#record(claimed, name, object);
  }

  async #storePart(
    claimed: ClaimedBuild,
    file: FileUpload,
    { partNumber, of }: { partNumber: number; of: number },
  ): Promise<boolean> {
    const { uploads, incoming } = this.#ports;
    const { name, body, length } = file;
    const key = movieFileKey(claimed.build, name);
    const upload =
      partNumber === 1 ? await this.#begin(claimed, name) : await uploads.find(claimed.build.id, claimed.lease, name);
    if (!upload) {
      // A repeated last part, because its response was lost.
      if (partNumber === of && isStored(claimed, name)) return true;
      throw new Failure('bad-parameter', `Expected part 1 first, got part ${partNumber}.`, { parameter: 'part' });
    }
    const write = (bytes: ReadableStream<Uint8Array>) => incoming.putPart(key, upload.uploadId, partNumber, bytes);
    const etag = await writeExactly(body, length, write, () => this.#extendLease(claimed));
    if (etag === null) return false;
    await uploads.addPart(upload, { partNumber, etag });
    return partNumber < of || this.#complete(claimed, upload, of);
  }

  async #begin({ build, lease }: ClaimedBuild, name: string): Promise<MovieUpload> {
    const { uploads, incoming } = this.#ports;
    const key = movieFileKey(build, name);
    const upload = { buildId: build.id, lease, name, uploadId: await incoming.createMultipart(key, mediaType(name)) };
    const replaced = await uploads.begin(upload);
    // R2 aborts abandoned uploads by itself, so a failure here is harmless.
    if (replaced !== null) await incoming.abortMultipart(key, replaced).catch(() => undefined);
    return upload;
  }

  async #complete(claimed: ClaimedBuild, { name, uploadId }: MovieUpload, of: number): Promise<boolean> {
    const { uploads, incoming } = this.#ports;
    const upload = await uploads.find(claimed.build.id, claimed.lease, name);
    if (upload?.uploadId !== uploadId || upload.parts.length !== of) {
      const count = upload?.parts.length ?? 0;
      throw new Failure('bad-parameter', `Expected all of ${of} parts before the upload is completed, got ${count}.`, {
        parameter: 'part',
      });
    }
    if (!(await this.#extendLease(claimed))) return false;
    const object = await incoming.completeMultipart(movieFileKey(claimed.build, name), uploadId, upload.parts);
    const isRecorded = await this.#record(claimed, name, object);
    await uploads.end(upload);
    return isRecorded;
  }

  /** Extends the lease for the completion of the file, so that no other worker can claim the build meanwhile. */
  #extendLease({ build, lease }: ClaimedBuild): Promise<boolean> {
    return this.#ports.claims.extendLease(build.id, lease, this.#ports.clock());
  }

  #record({ build, lease }: ClaimedBuild, name: string, { size, etag }: StoredObject): Promise<boolean> {
    const { claims } = this.#ports;
    return isMovieFile(name) ? claims.stored(build.id, lease, { name, size, etag }) : claims.storedSegment(build.id, lease, name);
  }
}

function expectStorable({ name, length, part }: FileUpload): void {
  if (!isMovieFile(name) && !SEGMENT_NAME.test(name)) {
    throw new Failure('bad-parameter', `Expected a file or segment of a movie for the name, got ${name}.`);
  }
  if (length > PART_BYTES) {
    throw new Failure('body-too-large', `Expected at most ${PART_BYTES} bytes in one part, got ${length}.`);
  }
  if (length < 1 || (part && part.partNumber < part.of && length !== PART_BYTES)) {
    const what = length < 1 ? 'at least one byte' : `${PART_BYTES} bytes in every part but the last`;
    throw new Failure('bad-parameter', `Expected ${what}, got ${length}.`);
  }
}

function mediaType(name: string): string {
  return isMovieFile(name) ? MOVIE_FILES[name] : segmentMediaType(name);
}

function isStored({ build, segments }: ClaimedBuild, name: string): boolean {
  return segments.includes(name) || build.files.some((file) => file.name === name);
}
