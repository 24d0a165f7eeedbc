// Composites rows of layers onto rows of RGB, 3 bytes a pixel, in integers; and colours the pixels of a PNG with transparency.

/** value / 255 to the nearest integer, for eight values of 0 to 65025. */
@inline
function divideBy255(value: v128): v128 {
  const v = i16x8.add(value, i16x8.splat(128));
  return i16x8.shr_u(i16x8.add(v, i16x8.shr_u(v, 8)), 8);
}

/** (above * alpha + below * (255 - alpha)) / 255 for sixteen bytes. */
@inline
function mix(above: v128, below: v128, alpha: v128): v128 {
  const rest = v128.not(alpha);
  const low = i16x8.add(i16x8.extmul_low_i8x16_u(above, alpha), i16x8.extmul_low_i8x16_u(below, rest));
  const high = i16x8.add(i16x8.extmul_high_i8x16_u(above, alpha), i16x8.extmul_high_i8x16_u(below, rest));
  return i8x16.narrow_i16x8_u(divideBy255(low), divideBy255(high));
}

/** Writes the colours of `count` samples. `colours`: 256 times R, G, B, 0. One byte behind the last is overwritten. */
export function colourRow(samples: usize, colours: usize, count: i32, rgb: usize): void {
  const end = samples + <usize>count;
  for (; samples + 4 <= end; samples += 4, rgb += 12) {
    const four = load<u32>(samples);
    store<u32>(rgb, load<u32>(colours + <usize>((four & 0xff) << 2)));
    store<u32>(rgb, load<u32>(colours + <usize>(((four >> 8) & 0xff) << 2)), 3);
    store<u32>(rgb, load<u32>(colours + <usize>(((four >> 16) & 0xff) << 2)), 6);
    store<u32>(rgb, load<u32>(colours + <usize>((four >> 24) << 2)), 9);
  }
  for (; samples < end; samples++, rgb += 3) store<u32>(rgb, load<u32>(colours + (<usize>load<u8>(samples) << 2)));
}

/** Blends `count` bytes of colours over `rgb` with one alpha, in whole vectors of sixteen. */
function blendEvenly(colours: usize, rgb: usize, count: i32, alpha: i32): void {
  const alphas = i8x16.splat(<i8>alpha);
  const end = rgb + <usize>count;
  for (; rgb < end; rgb += 16, colours += 16) v128.store(rgb, mix(v128.load(colours), v128.load(rgb), alphas));
}

/** Blends `count` pixels of colours over `rgb` with an alpha each, scaled by `whole` / 255, sixteen at a time. */
function blendMasked(colours: usize, rgb: usize, mask: usize, count: i32, whole: i32): void {
  const scale = i8x16.splat(<i8>whole);
  const end = rgb + <usize>(3 * count);
  for (; rgb < end; rgb += 48, colours += 48, mask += 16) {
    const given = v128.load(mask);
    if (!v128.any_true(given)) continue;
    const low = divideBy255(i16x8.extmul_low_i8x16_u(given, scale));
    const high = divideBy255(i16x8.extmul_high_i8x16_u(given, scale));
    const alpha = i8x16.narrow_i16x8_u(low, high);
    const a = i8x16.shuffle(alpha, alpha, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5);
    const b = i8x16.shuffle(alpha, alpha, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10);
    const c = i8x16.shuffle(alpha, alpha, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15);
    v128.store(rgb, mix(v128.load(colours), v128.load(rgb), a));
    v128.store(rgb, mix(v128.load(colours, 16), v128.load(rgb, 16), b), 16);
    v128.store(rgb, mix(v128.load(colours, 32), v128.load(rgb, 32), c), 32);
  }
}

/** Adds `count` bytes of light to `rgb`, in whole vectors of sixteen. */
function addRow(light: usize, rgb: usize, count: i32): void {
  const end = rgb + <usize>count;
  for (; rgb < end; rgb += 16, light += 16) v128.store(rgb, i8x16.add_sat_u(v128.load(light), v128.load(rgb)));
}

/**
 * Draws `rows` x `columns` samples source-over onto RGB. `colours`: 256 times R, G, B, 0. `mask`: an alpha for each sample, with
 * the rows of the samples, or 0. `whole`: opacity, 1 to 255. `scratch`: 3 * columns bytes. Every buffer is followed by
 * 48 bytes that may be read, `scratch` and `rgb` by ones that may be overwritten; those behind a row get their values back.
 */
export function drawOver(
  samples: usize, mask: usize, sampleStride: usize, colours: usize, whole: i32, columns: i32, rows: i32, scratch: usize,
  rgb: usize, rgbStride: usize,
): void {
  for (let y = 0; y < rows; y++, samples += sampleStride, rgb += rgbStride) {
    const behind = rgb + <usize>(3 * columns);
    const a = v128.load(behind);
    const b = v128.load(behind, 16);
    const c = v128.load(behind, 32);
    const isCopied = whole == 255 && !mask;
    colourRow(samples, colours, columns, isCopied ? rgb : scratch);
    if (mask) {
      blendMasked(scratch, rgb, mask, columns, whole);
      mask += sampleStride;
    } else if (!isCopied) blendEvenly(scratch, rgb, 3 * columns, whole);
    v128.store(behind, a);
    v128.store(behind, b, 16);
    v128.store(behind, c, 32);
  }
}

/**
 * Adds the light of `rows` x `columns` samples to RGB, at most 255 a channel. `light`: 256 times R, G, B, 0, which a mask's alpha scales to the
 * nearest integer. `scratch`: two times 3 * columns + 48 bytes. The others are those of drawOver.
 */
export function drawAdded(
  samples: usize, mask: usize, sampleStride: usize, light: usize, columns: i32, rows: i32, scratch: usize, rgb: usize,
  rgbStride: usize,
): void {
  const count = 3 * columns;
  const masked = scratch + <usize>(count + 48);
  const added = mask ? masked : scratch;
  for (let y = 0; y < rows; y++, samples += sampleStride, rgb += rgbStride) {
    colourRow(samples, light, columns, scratch);
    if (mask) {
      memory.fill(masked, 0, count);
      blendMasked(scratch, masked, mask, columns, 255);
      mask += sampleStride;
    }
    const behind = rgb + <usize>count;
    const kept = v128.load(behind);
    addRow(added, rgb, count);
    v128.store(behind, kept);
  }
}

/**
 * Writes R, G, B, A of `count` samples to `out`: the colour of each (256 words of R, G, B, 0) with its byte of `alpha`, or opaque when
 * `alpha` is 0. Fully transparent pixels are black.
 */
export function colourPixels(samples: usize, alpha: usize, colours: usize, count: i32, out: usize): void {
  const end = samples + <usize>count;
  if (alpha == 0) {
    for (; samples < end; samples++, out += 4) store<u32>(out, load<u32>(colours + (<usize>load<u8>(samples) << 2)) | 0xff000000);
    return;
  }
  for (; samples < end; samples++, alpha++, out += 4) {
    const a: u32 = load<u8>(alpha);
    store<u32>(out, a ? load<u32>(colours + (<usize>load<u8>(samples) << 2)) | (a << 24) : 0);
  }
}
