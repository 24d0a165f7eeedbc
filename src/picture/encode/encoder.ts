// Pictures encoded from horizontal strips, so that a whole frame is never in memory.

export interface StripEncoder {
  /**
   * Takes the next `rows` rows from the top, without padding. The buffer may be reused once the promise resolves.
   * @param pause Precedes the rows of each block, with their cost in pixels of a layer, which are decoded in the same time
   */
  write(pixels: Uint8Array, rows: number, pause?: (pixels: number) => Promise<void>): Promise<void>;
  /** The file, after exactly as many rows as the picture is high. @param note A text that it keeps */
  finish(note?: string): Promise<Uint8Array>;
}

/** The part of an encoder that depends on the format. It receives only rows that belong to the picture, which it may overwrite. */
export type RowSink = { add(pixels: Uint8Array, rows: number): void; end(note?: string): Uint8Array | Promise<Uint8Array> };

interface FrameShape {
  readonly width: number;
  readonly height: number;
  readonly bytesPerPixel: number;
  /** Processor time of a pixel as a multiple of that of a decoded one, from `npm run bench -- encode` at 177b282c. */
  readonly pixelCost: number;
  /** Rows that the sink takes at once, whatever the strips; fewer at the end of the picture alone. */
  readonly blockRows?: number;
}

/** @throws RangeError unless both sides are whole numbers from 1 to `longest` */
export function checkSides(width: number, height: number, longest: number): void {
  for (const [name, value] of Object.entries({ width, height }))
    if (!Number.isInteger(value) || value < 1 || value > longest)
      throw new RangeError(`Expected a whole number from 1 to ${longest} for ${name}, got ${value}.`);
}

/** An encoder that passes rows on to `sink`. Strips that do not fit the frame, and a second end, are rejected with a RangeError. */
export function stripEncoder(
  { width, height, bytesPerPixel, pixelCost, blockRows = 8 }: FrameShape,
  sink: RowSink,
): StripEncoder {
  const rowBytes = width * bytesPerPixel;
  const block = new Uint8Array(Math.min(height, blockRows) * rowBytes);
  let [written, ended] = [0, false];
  return {
    async write(pixels, rows, pause = async () => undefined) {
      const left = height - written;
      if (!Number.isInteger(rows) || rows < 1 || rows > left)
        throw new RangeError(`A strip of ${rows} rows does not fit: ${left} rows are left.`);
      const bytes = rows * rowBytes;
      if (pixels.length !== bytes) throw new RangeError(`${rows} rows have ${bytes} bytes, not ${pixels.length}.`);
      for (let y = 0; y < rows; ) {
        const held = written % blockRows;
        const count = Math.min(blockRows - held, rows - y);
        await pause(count * width * pixelCost);
        block.set(pixels.subarray(y * rowBytes, (y + count) * rowBytes), held * rowBytes);
        y += count;
        written += count;
        if (held + count === blockRows || written === height)
          sink.add(block.subarray(0, (held + count) * rowBytes), held + count);
      }
    },
    async finish(note) {
      if (written < height) throw new RangeError(`Only ${written} of ${height} rows were written before the end.`);
      if (ended) throw new RangeError('The picture was ended before.');
      ended = true;
      return sink.end(note);
    },
  };
}
