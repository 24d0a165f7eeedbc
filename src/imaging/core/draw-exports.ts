// Exports of the core that draw (wasm/draw).

/** Addresses, counts and strides are plain numbers. */
export interface DrawExports {
  resampleScratch(width: number, columns: number, yTaps: number): number;
  resample(
    samples: number,
    width: number,
    xStarts: number,
    xWeights: number,
    xGroups: number,
    columns: number,
    yStarts: number,
    yWeights: number,
    yTaps: number,
    rows: number,
    scratch: number,
    out: number,
    stride: number,
  ): void;
  difference(newer: number, older: number, count: number): void;
  /** `alpha` 0: opaque. */
  colourPixels(samples: number, alpha: number, colours: number, count: number, out: number): void;
  /** Returns 1 when one of the samples is 0. */
  blackToAlpha(samples: number, count: number): number;
  drawOver(
    samples: number,
    mask: number,
    sampleStride: number,
    colours: number,
    whole: number,
    columns: number,
    rows: number,
    scratch: number,
    rgb: number,
    rgbStride: number,
  ): void;
  filterRows(above: number, pixels: number, rowBytes: number, rows: number, size: number, out: number): void;
  adler32(sum: number, bytes: number, count: number): number;
  jpegTokens(
    rgb: number,
    width: number,
    rows: number,
    stride: number,
    factors: number,
    order: number,
    planes: number,
    lastDc: number,
    counts: number,
    tokens: number,
  ): number;
  jpegBits(tokens: number, count: number, codes: number, pending: number, out: number): number;
  toYuv420(rgb: number, columns: number, rows: number, y: number, cb: number, cr: number, scratch: number): void;
}
