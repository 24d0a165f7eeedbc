// The frames of a job in their order, drawn ahead of whoever takes them.
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';
import type { JobFrame } from './planned-frames.ts';
import type { Drawn, DrawPool } from './pool.ts';

/** Frames in a row that one thread draws: neighbours share images of slow instruments, which the thread keeps. */
const RUN = 4;
/** Bytes of frames that are drawn, or being drawn, before they are taken: two runs a thread, or fewer large frames. */
const AHEAD_BYTES = 256 << 20;

export interface DrawnFrame {
  readonly frame: number;
  readonly drawn: Drawn;
}

/**
 * Draws the frames from..end.
 * @throws what the pool does, and what `markersOf` does
 */
export async function* drawnFrames(
  pool: DrawPool,
  frames: readonly JobFrame[],
  from: number,
  markersOf: (frame: number) => Promise<FrameMarkers>,
): AsyncGenerator<DrawnFrame> {
  const { width, height } = frames[0]?.recipe ?? { width: 1, height: 1 };
  const ahead = Math.max(pool.threads, Math.min(2 * RUN * pool.threads, Math.floor(AHEAD_BYTES / (width * height * 3))));
  const run = Math.max(1, Math.min(RUN, Math.floor(ahead / pool.threads)));
  const draw = async (frame: number): Promise<Drawn> => {
    const { recipe, images } = frames[frame] as JobFrame;
    return pool.draw({ recipe, images, markers: await markersOf(frame) }, Math.floor(frame / run));
  };
  const underWay: Promise<Drawn>[] = [];
  let next = from;
  for (let frame = from; frame < frames.length; frame++) {
    for (; next < Math.min(frames.length, frame + ahead); next++) {
      const drawing = draw(next);
      // Those that nobody waits for any more may fail in silence.
      drawing.catch(() => undefined);
      underWay.push(drawing);
    }
    yield { frame, drawn: await (underWay.shift() as Promise<Drawn>) };
  }
}
