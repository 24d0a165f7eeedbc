// The service of the movie workers without HTTP, and what wakes them. An upload becomes an object only when it is complete and its lease still holds.
import type { FrameMarkers } from '../archive/drawing/frame-renderer.ts';
import { checkNotWithdrawn } from '../archive/find-image.ts';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { movieFileKey } from '../archive/keys.ts';
import { failedSources, type MarkerSource } from '../events/event-markers.ts';
import { MOVIE_BUILDS } from '../platform/limits/movies.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { MovieQueueSettings } from '../platform/settings/movies.ts';
import { writeExactly } from '../platform/storage/fixed-length.ts';
import type { IncomingObjects, ObjectStore, StoredObject } from '../platform/storage/r2-object-store.ts';
import { badParameter, FAILURES, Failure, type FailureKind } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { provenanceText } from '../sun/provenance.ts';
import type { ClaimedBuild, D1BuildClaims, MovieUpload } from './d1-build-claims.ts';
import type { D1Movies } from './d1-movies.ts';
import { MOVIE_FILE_NAMES, MOVIE_FILES, type MovieFileName, movieMetadata, SEGMENT_NAME, segmentMediaType } from './movie.ts';
import type { R2MovieFrames } from './movie-plan.ts';
import { frameRecipe, movieAddress, type PlannedFrame } from './movie-recipe.ts';
import type { MovieBuild } from './movie-tables.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from './worker-protocol.ts';
import type { Failed, Finish, Progress } from './worker-reports.ts';

interface UploadPorts {
  readonly claims: D1BuildClaims;
  readonly incoming: IncomingObjects;
  readonly objects: Pick<ObjectStore, 'head' | 'stream' | 'delete'>;
  readonly clock: Clock;
}

interface FileUpload {
  readonly name: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly length: number;
  /** Part number, from 1, and the number of parts of a multipart upload; null: the body is the whole file. */
  readonly part: { readonly partNumber: number; readonly of: number } | null;
}

const isMovieFile = (name: string): name is MovieFileName => Object.hasOwn(MOVIE_FILES, name);

class BuildUploads extends Service<UploadPorts> {
  /** Stores a file or a part of it, idempotently; false without the lease. @throws Failure `bad-parameter`, `body-too-large` above PART_BYTES */
  async store(buildId: number, lease: string, file: FileUpload): Promise<boolean> {
    expectStorable(file);
    const claimed = await this.ports.claims.claimed(buildId, lease, this.ports.clock());
    if (!claimed) return false;
    return file.part && file.part.of > 1 ? this.#storePart(claimed, file, file.part) : this.#storeWhole(claimed, file);
  }

  /** A segment that an earlier attempt stored; null when none has this name, `lost` when the lease is lost. */
  async readSegment(buildId: number, lease: string, name: string) {
    const claimed = await this.ports.claims.claimed(buildId, lease, this.ports.clock());
    if (!claimed) return 'lost';
    return claimed.segments.includes(name) ? this.ports.objects.stream(movieFileKey(claimed.build, name)) : null;
  }

  async deleteSegments({ build, segments }: Pick<ClaimedBuild, 'build' | 'segments'>): Promise<void> {
    await Promise.all(segments.map((name) => this.ports.objects.delete(movieFileKey(build, name))));
  }

  async #storeWhole(claimed: ClaimedBuild, { name, body, length }: FileUpload): Promise<boolean> {
    const key = movieFileKey(claimed.build, name);
    const write = (bytes: ReadableStream<Uint8Array>) => this.ports.incoming.put(key, bytes, mediaType(name));
    const object = await writeExactly(body, length, write, () => this.#extendLease(claimed));
    return object !== null && this.#record(claimed, name, object);
  }

  async #storePart(claimed: ClaimedBuild, file: FileUpload, { partNumber, of }: { partNumber: number; of: number }) {
    const { claims, incoming } = this.ports;
    const { name, body, length } = file;
    const key = movieFileKey(claimed.build, name);
    const upload =
      partNumber === 1 ? await this.#begin(claimed, name) : await claims.findUpload(claimed.build.id, claimed.lease, name);
    if (upload === 'lost') return false;
    if (!upload) {
      // A repeated last part, because its response was lost.
      if (partNumber === of && isStored(claimed, name)) return true;
      throw new Failure('bad-parameter', `Part ${partNumber} belongs to no upload that has begun. Send part 1 first.`, {
        parameter: 'part',
      });
    }
    // A repeated last part of an upload that has all of them, and may be complete.
    const isRepeated = partNumber === of && upload.parts.length === of;
    if (!isRepeated) {
      const write = (bytes: ReadableStream<Uint8Array>) => incoming.putPart(key, upload.uploadId, partNumber, bytes);
      const etag = await writeExactly(body, length, write, () => this.#extendLease(claimed));
      if (etag === null) return false;
      await claims.addPart(upload, { partNumber, etag });
    }
    return partNumber < of || this.#complete(claimed, upload, { of, size: (of - 1) * PART_BYTES + length });
  }

  async #begin({ build, lease }: ClaimedBuild, name: string) {
    const { claims, incoming, clock } = this.ports;
    const key = movieFileKey(build, name);
    const replaced = await claims.uploadOf(build.id, name);
    const uploadId = await incoming.createMultipart(key, mediaType(name));
    const upload = { buildId: build.id, lease, name, uploadId, parts: [] };
    const isBegun = await claims.beginUpload(upload, replaced);
    const stale = isBegun ? replaced : uploadId;
    // R2 aborts abandoned uploads by itself, so a failure here is harmless.
    if (stale !== null) await incoming.abortMultipart(key, stale).catch(() => undefined);
    if (isBegun) return upload;
    if (!(await claims.extendLease(build.id, lease, clock()))) return 'lost';
    throw new Failure('busy', 'Another upload of this file has begun meanwhile. Send part 1 again.', { retryAfterSeconds: 1 });
  }

  async #complete(claimed: ClaimedBuild, { name, uploadId }: MovieUpload, { of, size }: { of: number; size: number }) {
    const { claims, incoming, objects } = this.ports;
    const key = movieFileKey(claimed.build, name);
    const upload = await claims.findUpload(claimed.build.id, claimed.lease, name);
    if (upload?.uploadId !== uploadId || upload.parts.length !== of) {
      const count = upload?.parts.length ?? 0;
      throw new Failure('bad-parameter', `The upload has ${count} of ${of} parts. Send the others before the last.`, {
        parameter: 'part',
      });
    }
    if (!(await this.#extendLease(claimed))) return false;
    const object = await incoming.completeMultipart(key, uploadId, upload.parts).catch(async (error: unknown) => {
      // It may have been completed by an isolate that ended before it could note the file.
      const stored = await objects.head(key);
      if (stored?.size !== size) throw error;
      return stored;
    });
    const isRecorded = await this.#record(claimed, name, object);
    await claims.endUpload(upload);
    return isRecorded;
  }

  /** Extends the lease for the completion of the file, so that no other worker can claim the build meanwhile. */
  #extendLease({ build, lease }: ClaimedBuild): Promise<boolean> {
    return this.ports.claims.extendLease(build.id, lease, this.ports.clock());
  }

  #record({ build, lease }: ClaimedBuild, name: string, { size, etag }: StoredObject): Promise<boolean> {
    const { claims } = this.ports;
    return isMovieFile(name) ? claims.stored(build.id, lease, { name, size, etag }) : claims.storedSegment(build.id, lease, name);
  }
}

function expectStorable({ name, length, part }: FileUpload): void {
  if (!isMovieFile(name) && !SEGMENT_NAME.test(name))
    throw new Failure('bad-parameter', `Expected a file or segment of a movie for the name, got ${name}.`);
  if (length > PART_BYTES) throw new Failure('body-too-large', `The part has ${length} bytes; a part has at most ${PART_BYTES}.`);
  if (length < 1 || (part && part.partNumber < part.of && length !== PART_BYTES)) {
    const least = length < 1 ? 'each has at least one' : `each but the last has ${PART_BYTES}`;
    throw new Failure('bad-parameter', `The part has ${length} bytes, and ${least}.`);
  }
}

const mediaType = (name: string): string => (isMovieFile(name) ? MOVIE_FILES[name] : segmentMediaType(name));

const isStored = ({ build, segments }: ClaimedBuild, name: string): boolean =>
  segments.includes(name) || build.files.some((file) => file.name === name);

export interface WorkerServicePorts extends UploadPorts {
  readonly index: Pick<ImageIndex, 'byIds' | 'withdrawn'>;
  readonly frames: Pick<R2MovieFrames, 'find'>;
  readonly markers: MarkerSource;
  /** Public origin of the service; null where it is not configured. */
  readonly publicOrigin: string | null;
  readonly log: Log;
}

/** Time in which a claim passes builds that cannot be read now. A worker waits three times as long, and another would take the lease for lost. */
const CLAIM_MS = 5_000;
/** Builds that a claim passes at most, with some ten statements each. */
const MOST_PASSED = 20;

/** Failures of a claimed build whose sentences are shown to its user. */
const SHOWN: readonly FailureKind[] = ['withdrawn', 'failed-movie'];

/** Wakes as many workers as there are queued and running builds: which are busy is unknown. For the queue, and for the scheduled job. */
export async function wakeMovieWorkers({ register, wake }: { register: D1Movies; wake: WakeWorkers }) {
  const { queued, processing } = await register.queueLength();
  if (queued > 0) await wake(queued + processing);
}

export class WorkerService extends Service<WorkerServicePorts> {
  readonly uploads = new BuildUploads(this.ports);

  /**
   * The next queued build; null without one, or for a worker of another version. Ends builds whose frames are invalid or withdrawn, and passes
   * those that cannot be read now. @throws the error of the first of these where no other build waits
   */
  async claim(worker: string, version: string | undefined): Promise<BuildClaim | null> {
    const { claims, clock, log } = this.ports;
    if (version !== WORKER_VERSION) {
      log({ workerVersion: version ?? null, expected: WORKER_VERSION, worker });
      return null;
    }
    const passed = new Map<number, unknown>();
    let ended = 0;
    for (const untilMs = clock() + CLAIM_MS; ; ) {
      const tried = passed.size + ended;
      const isOver = tried >= MOST_PASSED || (tried > 0 && clock() > untilMs);
      const claimed = isOver ? null : await claims.claim(worker, clock(), [...passed.keys()]);
      if (!claimed && passed.size > 0) throw [...passed.values()][0];
      if (isOver)
        throw new Failure('busy', `${ended} movies cannot be built, and others may wait. Ask again.`, { retryAfterSeconds: 1 });
      if (!claimed) return null;
      try {
        return await this.#claimOf(claimed);
      } catch (error) {
        const { build, lease } = claimed;
        log({ movieBuild: build.id, failed: String(error) });
        // What is no fault of the request may pass: the build waits, and this worker takes others before it.
        if (!(error instanceof Failure) || FAILURES[error.kind].status >= 500) {
          await claims.release(build.id, lease, worker);
          passed.set(build.id, error);
          continue;
        }
        const reason = SHOWN.includes(error.kind) ? error.message : 'The plan of the movie cannot be read.';
        await claims.fail(build.id, lease, { reason, isFinal: true }, clock());
        ended += 1;
      }
    }
  }

  async #claimOf({ build, lease, leaseMs, segments, movieId, maxFrames }: ClaimedBuild): Promise<BuildClaim> {
    const frames = await this.#frames(build);
    const { id, recipe, recipeText, width, height, attempts, firstFrameMs, lastFrameMs, queuedAtMs } = build;
    const ids = [...new Set(frames.flatMap(({ images }) => images.flat()))];
    const images = await this.ports.index.byIds(ids);
    if (images.length < ids.length) await checkNotWithdrawn(this.ports.index, 'This movie', ids);
    const { comment, ...texts } = movieMetadata(
      { firstFrameMs, lastFrameMs, layers: recipe.scene.layers },
      movieId,
      this.ports.publicOrigin ?? '',
    );
    const made = await provenanceText(movieAddress(recipe, maxFrames), images);
    return {
      build: id,
      lease,
      leaseMs,
      attempt: attempts,
      recipe: recipeText,
      frames,
      images,
      output: { width, height },
      metadata: {
        ...texts,
        comment: comment === '' ? made : `${made}\n${comment}`,
        createdAtMs: queuedAtMs,
      },
      segments,
    };
  }

  /** @throws Failure `failed-movie` when the frames have expired */
  async #frames({ key }: Pick<MovieBuild, 'key'>): Promise<readonly PlannedFrame[]> {
    const frames = await this.ports.frames.find(key);
    if (frames) return frames;
    throw new Failure('failed-movie', 'The plan of this movie has expired. reQueueMovie plans it anew.');
  }

  /** Returns false when the lease is lost, as do the methods below. */
  progress(buildId: number, progress: Progress): Promise<boolean> {
    return this.ports.claims.progress(buildId, progress, this.ports.clock());
  }

  /** Markers of the frames from..to-1; null when the lease is lost. @throws Failure when the range is outside the movie or too long */
  async markers(buildId: number, lease: string, from: number, to: number): Promise<FrameMarkers[] | null> {
    const claimed = await this.ports.claims.claimed(buildId, lease, this.ports.clock());
    if (!claimed) return null;
    const { build } = claimed;
    const frames = await this.#frames(build);
    const most = Math.min(frames.length, from + MOVIE_BUILDS.framesOfMarkers);
    if (from < 0 || from >= frames.length) throw badParameter('from', `a frame from 0 to ${frames.length - 1}`, from);
    if (to <= from || to > most) throw badParameter('to', `a frame from ${from + 1} to ${most}`, to);
    const found: FrameMarkers[] = [];
    const missing = new Set<string>();
    // Sequentially, so that the events of each day are loaded once.
    for (const { atMs } of frames.slice(from, to)) {
      const { sources = [], ...markers } = await this.ports.markers.markers(frameRecipe(build.recipe, atMs, build.firstFrameMs));
      for (const source of failedSources(sources)) missing.add(source);
      found.push(markers);
    }
    if (missing.size > 0) {
      const sources = [...missing];
      this.ports.log({ movieBuild: buildId, frames: [from, to], eventsMissing: sources });
      await this.ports.claims.missEvents(buildId, lease, sources);
    }
    return found;
  }

  /** Idempotent. `missing`: files that are not stored, or with another size than reported. */
  async finish(buildId: number, finish: Finish): Promise<'finished' | 'lost' | { readonly missing: readonly string[] }> {
    const { claims, clock, log } = this.ports;
    const claimed = await claims.claimed(buildId, finish.lease, clock());
    if (claimed) {
      const stored = (name: string) => sizeIn(claimed.build.files, name) ?? Number.NaN;
      const missing = MOVIE_FILE_NAMES.filter((name) => sizeIn(finish.files, name) !== stored(name));
      if (missing.length > 0) return { missing };
    }
    if (!(await claims.finish(buildId, finish, clock()))) return 'lost';
    if (claimed)
      await this.uploads
        .deleteSegments(claimed)
        .catch((error: unknown) => log({ movieBuild: buildId, segmentsKept: String(error) }));
    return 'finished';
  }

  async fail(buildId: number, { lease, reason, isFinal }: Failed): Promise<boolean> {
    this.ports.log({ movieBuild: buildId, failed: reason, isFinal });
    return this.ports.claims.fail(buildId, lease, { reason, isFinal }, this.ports.clock());
  }

  release(buildId: number, lease: string): Promise<boolean> {
    return this.ports.claims.release(buildId, lease);
  }
}

const sizeIn = (files: readonly { name: string; size: number }[], fileName: string): number | undefined =>
  files.find(({ name }) => name === fileName)?.size;

/** Wakes so many workers, or all where there are fewer; another takes the place of one that cannot be woken. Never rejects. */
type WakeWorkers = (count: number) => Promise<void>;

/** Workers of the settings: URLs before containers, whose binding fails where they are disabled; none without a token, for want of claims. */
export function wakingOfSettings(
  { MOVIE_TOKEN: token, MOVIE_WORKER_URL: urls, MOVIE_CONTAINERS: count }: MovieQueueSettings,
  containers: () => DurableObjectNamespace | undefined,
  log: Log,
): WakeWorkers {
  if (token === null) return async () => undefined;
  const namespace = urls.length === 0 && count > 0 ? containers() : undefined;
  const timeoutMs = namespace ? MOVIE_BUILDS.containerStartMs : MOVIE_BUILDS.wakeDeadlineMs;
  const names = Array.from({ length: namespace ? count : 0 }, (_, i) => `movie-${i + 1}`);
  const workers = [
    ...urls.map((name) => ({ name, wake: (init: RequestInit) => fetch(`${name}/wake`, init) })),
    ...names.map((name) => ({
      name,
      wake: (init: RequestInit) => namespace!.getByName(name).fetch('http://movie/wake', init),
    })),
  ];

  async function isWoken(worker: (typeof workers)[number]): Promise<boolean> {
    try {
      const response = await worker.wake({
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) log({ movieWorker: worker.name, status: response.status });
      return response.ok;
    } catch (error) {
      log({ movieWorker: worker.name, unreachable: String(error) });
      return false;
    }
  }
  return async (count) => {
    const asleep = [...workers];
    const wakeOne = async () => {
      for (let worker = asleep.shift(); worker; worker = asleep.shift()) if (await isWoken(worker)) return;
    };
    await Promise.all(workers.slice(0, count).map(wakeOne));
  };
}
