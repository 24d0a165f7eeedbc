// Encoded parts of a long movie, stored so that an attempt that is cut off is not lost.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PART_NAME } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { ENCODINGS, type Encoder, type Encoding, segmentFile } from './encode/encoder.ts';
import type { MovieService } from './service/client.ts';

/** The planned frames from..to-1, encoded without those that were skipped. */
export interface Segment {
  /** Name of its files, as the encoder wants it. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

/** Characters that tell encoders apart: what one has written, only the same one goes on with. */
const TAG_LENGTH = 8;

export const encoderTag = ({ description }: Pick<Encoder, 'description'>): string =>
  createHash('sha256').update(description).digest('hex').slice(0, TAG_LENGTH);

const digits = (frame: number) => String(frame).padStart(4, '0');

export const segmentName = (from: number): string => `segment-${digits(from)}`;

const PART_ENDINGS = { mp4: 'mp4', hq: 'mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/** As which a segment is stored. */
export function partName({ from, to, skipped }: Omit<Segment, 'name'>, encoding: Encoding, tag: string): string {
  return `part-${digits(from)}-${digits(to)}.${encoding}.${tag}-${skipped}.${PART_ENDINGS[encoding]}`;
}

/** The segments of this encoder among the names of parts, of which all encodings are there, without a gap from frame 0 on. */
export function usableSegments(names: readonly string[], tag: string): Segment[] {
  const stored = new Set(names);
  const candidates = names.flatMap((name): Segment[] => {
    const [, from, to, encoding, note] = PART_NAME.exec(name) ?? [];
    if (encoding !== ENCODINGS[0] || !note?.startsWith(`${tag}-`)) return [];
    const segment = { from: Number(from), to: Number(to), skipped: Number(note.slice(tag.length + 1)) };
    const isWhole = ENCODINGS.every((other) => stored.has(partName(segment, other, tag)));
    return isWhole && segment.to > segment.from ? [{ ...segment, name: segmentName(segment.from) }] : [];
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
  service: MovieService,
  job: MovieJob,
  folder: string,
  tag: string,
  signal: AbortSignal,
): Promise<Segment[]> {
  const fetched: Segment[] = [];
  for (const segment of usableSegments(job.parts, tag)) {
    if (segment.to > job.frames.length) return fetched;
    for (const encoding of ENCODINGS) {
      const bytes = await service.part(job, partName(segment, encoding, tag), signal);
      if (!bytes) return fetched;
      await writeFile(join(folder, segmentFile(segment.name, encoding)), bytes);
    }
    fetched.push(segment);
  }
  return fetched;
}
