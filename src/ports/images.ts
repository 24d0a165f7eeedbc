// The roles that the services need from the outside, each as small as it can be. Adapters in storage/ carry the name of
// their technology; fakes in test/support say Memory.
import type { ArchivedImage } from '../domain/image.ts';
import type { ForgottenBin, Portion, WantedBins } from '../domain/jpip/ledger.ts';

/** Finds images by time and by id. All times are milliseconds since 1970, UTC. */
export interface ImageIndex {
  byId(id: number): Promise<ArchivedImage | null>;
  /** Those of the images that there are, in any order. */
  byIds(ids: readonly number[]): Promise<ArchivedImage[]>;
  byFileName(fileName: string): Promise<ArchivedImage | null>;
  /** Last image strictly before `atMs` and first at or after it. A source id above 10000 is an XRT group. */
  neighbours(sourceId: number, atMs: number): Promise<{ before: ArchivedImage | null; after: ArchivedImage | null }>;
  /** Times of the nearest images strictly before and strictly after. */
  adjacentTimes(sourceId: number, atMs: number): Promise<{ beforeMs: number | null; afterMs: number | null }>;
  /** First image at or after `fromMs` and last at or before `toMs`. */
  ends(sourceId: number, fromMs: number, toMs: number): Promise<{ first: ArchivedImage | null; last: ArchivedImage | null }>;
  /** At most `limit` images from `fromMs` to `toMs`, both included, oldest first. */
  inRange(sourceId: number, fromMs: number, toMs: number, limit: number): Promise<ArchivedImage[]>;
  /** Images from `fromMs` to `toMs`, both included; counting stops at `atMost`. */
  countInRange(sourceId: number, fromMs: number, toMs: number, atMost: number): Promise<number>;
  /** `neighbours` of each time, in its order, in one search for all of them. */
  neighboursOfTimes(
    sourceId: number,
    timesMs: readonly number[],
  ): Promise<{ before: ArchivedImage | null; after: ArchivedImage | null }[]>;
  /** Oldest and newest time of every source that has images, by source id. */
  extents(): Promise<ReadonlyMap<number, { startMs: number; endMs: number }>>;
}

/** What `ImageRegister.add` answers. `conflict` names why the row could not be added. */
export type Registration =
  | { outcome: 'added'; image: ArchivedImage }
  | { outcome: 'known'; image: ArchivedImage }
  | { outcome: 'conflict'; reason: string; image: ArchivedImage };

/** Adds rows to the image index; the same content twice is one row. */
export interface ImageRegister {
  add(image: Omit<ArchivedImage, 'id'>): Promise<Registration>;
}

export interface StoredObject {
  readonly size: number;
  /** Strong ETag, quoted. */
  readonly etag: string;
  readonly uploadedAtMs: number;
}

/** Objects by key. Keys are made by storage/keys.ts and never come from a request. */
export interface ObjectStore {
  head(key: string): Promise<StoredObject | null>;
  /** Exactly `length` bytes from `offset`; null when there is no such object. Throws RangeError when the object is shorter. */
  read(key: string, offset: number, length: number): Promise<Uint8Array | null>;
  readAll(key: string): Promise<Uint8Array | null>;
  /** The object, or `length` bytes of it from `offset`, as a stream. */
  stream(
    key: string,
    range?: { offset: number; length: number },
  ): Promise<(StoredObject & { body: ReadableStream<Uint8Array> }) | null>;
  put(key: string, body: Uint8Array, contentType: string): Promise<StoredObject>;
  delete(key: string): Promise<void>;
}

/** Milliseconds spent in the stages of an answer, for the Server-Timing header. */
export type StageTimings = Partial<
  Record<'cache' | 'index' | 'read' | 'decode' | 'colour' | 'compose' | 'overlays' | 'encode', number>
>;

/** Adds up what the stages of one answer take. */
export interface Stopwatch {
  measure<T>(stage: keyof StageTimings, work: () => Promise<T>): Promise<T>;
  add(timings: StageTimings): void;
}

export interface RenderedTile {
  readonly png: Uint8Array;
  readonly timings: StageTimings;
  /** Nothing of the image is in it: not worth keeping. */
  readonly isBlank: boolean;
}

/** Draws tiles of archived images. */
export interface TileRenderer {
  /** Changes with everything that decides pixels, so that tiles kept from an older renderer are not used. */
  readonly version: number;
  /** One 512x512 PNG. `x`, `y`: tile numbers from the image centre, y downward; scale in arcseconds per pixel. */
  render(
    image: ArchivedImage,
    tile: { x: number; y: number; imageScale: number },
    /** The older image of a difference; null for the image itself. */
    reference: ArchivedImage | null,
  ): Promise<RenderedTile>;
}

/** What ingest learns of a JP2 file. */
export interface InspectedJp2 {
  /** The XML box from `<meta>` to `</meta>`, as it stands in the file. */
  readonly xml: string;
  /** The sidecar for R2: everything needed to address the image by byte ranges. */
  readonly sidecar: Uint8Array;
  /** Codestream size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Validates a whole JP2 file. Throws Jp2Error (imaging/jp2/errors.ts) with a sentence that says what cannot be served. */
export interface Jp2Inspector {
  inspect(jp2: Uint8Array): Promise<InspectedJp2>;
}

/** The clock, so that tests can set it. */
export type Clock = () => number;

/** Writes objects that never change once they are there. */
export interface ImmutableObjects {
  /** Writes all of `body` or nothing, and only where the key is free; else says whether the object there has the same bytes. */
  create(key: string, body: Uint8Array, contentType: string): Promise<'created' | 'same' | 'different'>;
  delete(key: string): Promise<void>;
}

/** An upload whose objects may be in the archive before its row is. */
export interface Upload {
  /** Object key of the JP2. */
  readonly key: string;
  readonly fileName: string;
}

/** Remembers uploads under way, so that those a crash left behind can be found and removed. */
export interface UploadJournal {
  /** Notes the upload before its objects are written; false while the sweep is removing an older one with that key. */
  begin(upload: Upload): Promise<boolean>;
  /** Forgets the upload: its row is in the index, or its objects are gone. */
  end(key: string): Promise<void>;
  /** At most `limit` uploads that no request works on any more. From now on `begin` refuses their keys until `end`. */
  takeAbandoned(limit: number): Promise<Upload[]>;
}

/** Ids of the images of a layer: its own and, in a difference, the one that is taken off. */
export type LayerImages = readonly [imageId: number] | readonly [imageId: number, referenceId: number];

/** A picture that can be drawn again, pixel for pixel. */
export interface Screenshot {
  readonly id: number;
  readonly createdAtMs: number;
  /** Canonical string of the recipe. */
  readonly recipe: string;
  /** From the bottom to the top. */
  readonly images: readonly LayerImages[];
}

/** Remembers screenshots. */
export interface ScreenshotRegister {
  /** Gives the screenshot an id of its own, however often the same picture was taken before. */
  add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot>;
  find(id: number): Promise<Screenshot | null>;
}

/** What a JPIP channel is about; `tid` changes with its content. */
export interface ChannelTarget {
  readonly name: string;
  readonly tid: string;
}

export interface ChannelPlan {
  readonly portions: readonly Portion[];
  /** False when the budget ended the plan. */
  readonly isWhole: boolean;
  /** Groups of bins (metadata, codestreams) of which the client has everything. */
  readonly wholeGroups: number;
}

/** Remembers what was sent on each JPIP channel. Channels appear when they are used and expire by themselves. */
export interface JpipChannels {
  /** What to send of `wish` within `budget` bytes, noted as sent; null for a channel of another target. */
  plan(id: string, target: ChannelTarget, wish: readonly WantedBins[], budget: number): Promise<ChannelPlan | null>;
  forget(id: string, bins: readonly ForgottenBin[]): Promise<void>;
  /** False for a channel of another target. */
  close(id: string, targetName: string): Promise<boolean>;
}
