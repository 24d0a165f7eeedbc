// Pictures written from horizontal strips, so that nobody ever holds a whole frame.

export interface StripEncoder {
  /** `rows` rows from the top on, in order, without padding; the buffer is the caller's again when the promise resolves. */
  write(pixels: Uint8Array, rows: number): Promise<void>;
  /** The file, after exactly as many rows as the picture is high. */
  finish(): Promise<Uint8Array>;
}

/** What one format does with rows that are known to belong to the picture. */
export interface RowSink {
  add(pixels: Uint8Array, rows: number): void;
  end(): Uint8Array;
}

export interface FrameShape {
  readonly width: number;
  readonly height: number;
  readonly bytesPerPixel: number;
}

/** Throws RangeError unless both sides are whole numbers from 1 to `longest`. */
export function checkSides(width: number, height: number, longest: number): void {
  for (const [name, value] of Object.entries({ width, height })) {
    if (!Number.isInteger(value) || value < 1 || value > longest) {
      throw new RangeError(`Expected a whole number from 1 to ${longest} for ${name}, got ${value}.`);
    }
  }
}

/**
 * An encoder that passes on rows to `sink` and refuses, with a RangeError, strips that do not fit the frame: too many rows,
 * bytes that are not `rows` rows, an end before the last row, a second end.
 */
export function stripEncoder({ width, height, bytesPerPixel }: FrameShape, sink: RowSink): StripEncoder {
  let left = height;
  let ended = false;
  return {
    async write(pixels, rows) {
      if (!Number.isInteger(rows) || rows < 1 || rows > left) {
        throw new RangeError(`Expected a whole number of at most ${left} rows for the strip, got ${rows}.`);
      }
      const bytes = rows * width * bytesPerPixel;
      if (pixels.length !== bytes) throw new RangeError(`Expected ${bytes} bytes for ${rows} rows, got ${pixels.length}.`);
      sink.add(pixels, rows);
      left -= rows;
    },
    async finish() {
      if (left > 0) throw new RangeError(`Expected ${height} rows before the end, got ${height - left}.`);
      if (ended) throw new RangeError('Expected one end of the picture, got a second.');
      ended = true;
      return sink.end();
    },
  };
}
