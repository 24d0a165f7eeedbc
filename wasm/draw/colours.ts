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
