// Encoded segments of a long movie, stored so that the next attempt can resume after the last one.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEGMENT_NAME } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { ENCODINGS, type Encoder, type Encoding, segmentFile } from './encode/encoder.ts';
import type { ServiceClient } from './service/client.ts';

/** The planned frames from..to-1, encoded without those that were skipped. */
export interface Segment {
  /** Stem of the names of its local files, without the encoding. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

/** Characters that tell encoders apart: what one has written, only the same one goes on with. */
const TAG_LENGTH = 8;

export const encoderTag = ({ description }: Pick<Encoder, 'description'>): string =>
  createHash('sha256').update(description).digest('hex').slice(0, TAG_LENGTH);

const digits = (frame: number) => String(frame).padStart(4, '0');

/** Stem of the local file names of a segment. */
export const segmentStem = (from: number): string => `segment-${digits(from)}`;

const SEGMENT_EXTENSIONS = { mp4: 'mp4', hq: 'mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/** Name of the stored object of a segment in one encoding (`SEGMENT_NAME`). */
export function segmentObjectName({ from, to, skipped }: Omit<Segment, 'stem'>, encoding: Encoding, tag: string): string {
  return `part-${digits(from)}-${digits(to)}.${encoding}.${tag}-${skipped}.${SEGMENT_EXTENSIONS[encoding]}`;
}

/** The segments of this encoder among these object names, of which all encodings are there, without a gap from frame 0 on. */
export function usableSegments(names: readonly string[], tag: string): Segment[] {
  const stored = new Set(names);
  const candidates = names.flatMap((name): Segment[] => {
    const [, from, to, encoding, note] = SEGMENT_NAME.exec(name) ?? [];
    if (encoding !== ENCODINGS[0] || !note?.startsWith(`${tag}-`)) return [];
    const segment = { from: Number(from), to: Number(to), skipped: Number(note.slice(tag.length + 1)) };
    const isWhole = ENCODINGS.every((other) => stored.has(segmentObjectName(segment, other, tag)));
    return isWhole && segment.to > segment.from ? [{ ...segment, stem: segmentStem(segment.from) }] : [];
  });
  const segments: Segment[] = [];
  for (let at = 0; ; at = segments.at(-1)?.to ?? 0) {
    const next = candidates.filter(({ from }) => from === at).sort((a, b) => b.to - a.to)[0];
    if (!next) return segments;
    segments.push(next);
  }
}

/** Fetches what an earlier attempt left into `folder`; ends before the first segment that is gone. */
export async function fetchSegments(
  service: ServiceClient,
  job: MovieJob,
  folder: string,
  tag: string,
  signal: AbortSignal,
): Promise<Segment[]> {
  const fetched: Segment[] = [];
  for (const segment of usableSegments(job.segments, tag)) {
    if (segment.to > job.frames.length) return fetched;
    for (const encoding of ENCODINGS) {
      const bytes = await service.segment(job, segmentObjectName(segment, encoding, tag), signal);
      if (!bytes) return fetched;
      await writeFile(join(folder, segmentFile(segment.stem, encoding)), bytes);
    }
    fetched.push(segment);
  }
  return fetched;
}
