// Frames of a job in order, drawn ahead of their consumer.
import { type FrameMarkers, frameBytes, type PixelFormat } from '../../../src/services/rendering/frame-renderer.ts';
import type { JobFrame } from './job-plan.ts';
import type { DrawPool, DrawResult } from './pool.ts';

/** Consecutive frames that go to the same thread, because neighbours share images that the thread has cached. */
const MAX_RUN = 4;
/** Memory for frames that are drawn, or being drawn, before they are consumed. */
const AHEAD_BYTES = 256 << 20;

export interface DrawnFrame {
  readonly frame: number;
  readonly result: DrawResult;
}

/**
 * Draws the frames from number `from` to the last, at most two runs for each thread ahead.
 * @throws ServiceUnavailable, or an error of `markersOf`
 */
export async function* drawnFrames(
  pool: DrawPool,
  frames: readonly JobFrame[],
  from: number,
  markersOf: (frame: number) => Promise<FrameMarkers>,
  format: PixelFormat = 'yuv420p',
): AsyncGenerator<DrawnFrame> {
  const { width, height } = frames[0]?.recipe ?? { width: 1, height: 1 };
  const ahead = Math.max(
    pool.threads,
    Math.min(2 * MAX_RUN * pool.threads, Math.floor(AHEAD_BYTES / frameBytes(format, { width, height }))),
  );
  const run = Math.max(1, Math.min(MAX_RUN, Math.floor(ahead / pool.threads)));
  const draw = async (frame: number): Promise<DrawResult> => {
    const { recipe, images } = frames[frame] as JobFrame;
    return pool.draw({ recipe, images, markers: await markersOf(frame), format }, Math.floor(frame / run));
  };
  const pending: Promise<DrawResult>[] = [];
  let next = from;
  for (let frame = from; frame < frames.length; frame++) {
    for (; next < Math.min(frames.length, frame + ahead); next++) {
      const drawing = draw(next);
      // Marked as handled, because a consumer that stops early never awaits it.
      drawing.catch(() => undefined);
      pending.push(drawing);
    }
    yield { frame, result: await (pending.shift() as Promise<DrawResult>) };
  }
}
