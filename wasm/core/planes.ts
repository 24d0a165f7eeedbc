// Copying and scaling of planes, outside the stages of the standard.

/** Copies `columns` x `rows` samples, f32 ones times `scale`. */
export function copyPlane(
  from: usize,
  fromStride: usize,
  to: usize,
  toStride: usize,
  columns: i32,
  rows: i32,
  reversible: bool,
  scale: f32,
): void {
  for (let y = 0; y < rows; y++, from += fromStride, to += toStride) {
    if (reversible || scale == 1) memory.copy(to, from, <usize>columns << 2);
    else for (let x = 0; x < columns; x++) store<f32>(to + (<usize>x << 2), load<f32>(from + (<usize>x << 2)) * scale);
  }
}

/** Halves every sample, integers towards 0: the synthesis of a single high-pass sample (F.3.6, signals of length one). */
export function halvePlane(at: usize, stride: usize, columns: i32, rows: i32, reversible: bool): void {
  for (let y = 0; y < rows; y++, at += stride) {
    for (let x = 0; x < columns; x++) {
      const p = at + (<usize>x << 2);
      if (reversible) store<i32>(p, load<i32>(p) / 2);
      else store<f32>(p, load<f32>(p) * 0.5);
    }
  }
}
