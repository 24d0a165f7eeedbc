// How the services draw large pictures: one after the other where they would not fit together.
import type { StageTimings, Stopwatch } from '../../ports/timing.ts';
import { asDamaged } from '../images/file-errors.ts';
import type { RenderSlots } from './render-slots.ts';

export interface DrawingCall {
  readonly stopwatch: Stopwatch;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface DrawnFile {
  readonly bytes: Uint8Array;
  readonly timings: StageTimings;
}

/**
 * A file of so many pixels. Drawing goes on when the client hangs up, so that its turn ends.
 * @throws Failure `busy`, or `damaged-image` when an image cannot be decoded
 */
export async function drawInTurn(
  slots: RenderSlots,
  { width, height }: { readonly width: number; readonly height: number },
  { stopwatch, waitUntil }: DrawingCall,
  draw: () => Promise<DrawnFile>,
): Promise<Uint8Array> {
  const drawing = slots.run(width * height, draw).catch(asDamaged);
  waitUntil(drawing.catch(() => undefined));
  const { bytes, timings } = await drawing;
  stopwatch.add(timings);
  return bytes;
}
