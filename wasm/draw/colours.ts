// Samples to the pixels of a PNG with transparency.

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

/** Writes 0 for every sample that is 0, and 255 for the others, over the samples. Returns whether one of them is 0. */
export function blackToAlpha(samples: usize, count: i32): bool {
  const end = samples + <usize>count;
  const whole = samples + <usize>(count & ~15);
  let all = i8x16.splat(-1);
  for (; samples < whole; samples += 16) {
    const alpha = i8x16.ne(v128.load(samples), i8x16.splat(0));
    all = v128.and(all, alpha);
    v128.store(samples, alpha);
  }
  let black = !i8x16.all_true(all);
  for (; samples < end; samples++) {
    const alpha: u8 = load<u8>(samples) ? 255 : 0;
    if (alpha == 0) black = true;
    store<u8>(samples, alpha);
  }
  return black;
}
