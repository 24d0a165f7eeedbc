// Pictures encoded from horizontal strips, so that a whole frame is never in memory.

export interface StripEncoder {
  /**
   * Takes the next `rows` rows from the top, without padding. The buffer may be reused once the promise resolves.
   * @param pause Precedes each slice of rows, with its cost in pixels of a layer, which are decoded in the same time
   */
  write(pixels: Uint8Array, rows: number, pause?: (pixels: number) => Promise<void>): Promise<void>;
  /** The file, after exactly as many rows as the picture is high. @param note A text that it keeps */
  finish(note?: string): Promise<Uint8Array>;
}

/** The part of an encoder that depends on the format. It receives only rows that belong to the picture. */
export type RowSink = { add(pixels: Uint8Array, rows: number): void; end(note?: string): Uint8Array | Promise<Uint8Array> };

interface FrameShape {
  readonly width: number;
  readonly height: number;
  readonly bytesPerPixel: number;
  /** Processor time of a pixel as a multiple of that of a decoded one, from `npm run bench -- encode` at 177b282c. */
  readonly pixelCost: number;
}

/** Cost of the rows that an encoder takes at once, in pixels of a layer: four milliseconds of work. */
const SLICE_COST = 200_000;

/** @throws RangeError unless both sides are whole numbers from 1 to `longest` */
export function checkSides(width: number, height: number, longest: number): void {
  for (const [name, value] of Object.entries({ width, height }))
    if (!Number.isInteger(value) || value < 1 || value > longest)
      throw new RangeError(`Expected a whole number from 1 to ${longest} for ${name}, got ${value}.`);
}

/** An encoder that passes rows on to `sink`. Strips that do not fit the frame, and a second end, are rejected with a RangeError. */
export function stripEncoder({ width, height, bytesPerPixel, pixelCost }: FrameShape, sink: RowSink): StripEncoder {
  let left = height;
  let ended = false;
  return {
    async write(pixels, rows, pause = async () => undefined) {
      if (!Number.isInteger(rows) || rows < 1 || rows > left)
        throw new RangeError(`A strip of ${rows} rows does not fit: ${left} rows are left.`);
      const bytes = rows * width * bytesPerPixel;
      if (pixels.length !== bytes) throw new RangeError(`${rows} rows have ${bytes} bytes, not ${pixels.length}.`);
      left -= rows;
      const rowBytes = width * bytesPerPixel;
      const sliceRows = Math.max(1, Math.floor(SLICE_COST / (width * pixelCost)));
      for (let y = 0; y < rows; y += sliceRows) {
        const count = Math.min(sliceRows, rows - y);
        await pause(count * width * pixelCost);
        sink.add(pixels.subarray(y * rowBytes, (y + count) * rowBytes), count);
      }
    },
    async finish(note) {
      if (left > 0) throw new RangeError(`Only ${height - left} of ${height} rows were written before the end.`);
      if (ended) throw new RangeError('The picture was ended before.');
      ended = true;
      return sink.end(note);
    },
  };
}
