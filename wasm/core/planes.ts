// Planes of rows `stride` bytes apart, outside the stages of the standard.

/** Multiplies f32 samples in place. */
export function scalePlane(at: usize, stride: usize, columns: i32, rows: i32, scale: f32): void {
  for (; rows > 0; rows--, at += stride) {
    for (let x: usize = 0; x < <usize>columns << 2; x += 4) store<f32>(at + x, load<f32>(at + x) * scale);
  }
}

export function clearPlane(at: usize, stride: usize, columns: i32, rows: i32): void {
  for (let y = 0; y < rows; y++, at += stride) memory.fill(at, 0, <usize>columns << 2);
}
