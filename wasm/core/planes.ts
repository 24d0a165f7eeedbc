// Copying and scaling of planes, outside the stages of the standard.

export function copyPlane(
  from: usize, fromStride: usize, to: usize, toStride: usize, columns: i32, rows: i32, reversible: bool, scale: f32,
): void {
  for (let y = 0; y < rows; y++, from += fromStride, to += toStride) {
    if (reversible || scale == 1) memory.copy(to, from, <usize>columns << 2);
    else for (let x = 0; x < columns; x++) store<f32>(to + (<usize>x << 2), load<f32>(from + (<usize>x << 2)) * scale);
  }
}

export function clearPlane(at: usize, stride: usize, columns: i32, rows: i32): void {
  for (let y = 0; y < rows; y++, at += stride) memory.fill(at, 0, <usize>columns << 2);
}
