// Bit input of packet headers and of bypassed passes with bit stuffing (ISO/IEC 15444-1 B.10.1, D.6): after a byte 0xFF the next byte carries 7 bits.

let position: usize = 0;
let limit: usize = 0;
let current: u32 = 0;
let bitsLeft: i32 = 0;
let overrun: bool = false;
let filler: u32 = 0;

/** Starts reading [start, end). `beyond`: what is read in place of the bytes after the end. */
export function bioOpen(start: usize, end: usize, beyond: u32): void {
  position = start;
  limit = end;
  filler = beyond;
  current = 0;
  bitsLeft = 0;
  overrun = false;
}

/** True once the bits were read past their end. */
export function bioOverrun(): bool {
  return overrun;
}

export function bit(): u32 {
  if (bitsLeft == 0) {
    bitsLeft = current == 0xff ? 7 : 8;
    if (position < limit) current = load<u8>(position++);
    else {
      current = filler;
      overrun = true;
    }
  }
  bitsLeft--;
  return (current >> bitsLeft) & 1;
}

/** `count` bits, most significant first; `count` at most 32. */
export function bits(count: i32): u32 {
  let value: u32 = 0;
  for (let i = 0; i < count; i++) value = (value << 1) | bit();
  return value;
}

/** Aligns to a byte boundary, skipping the byte stuffed after a final 0xFF. Returns the position after the header. */
export function bioClose(): usize {
  if (current == 0xff && position < limit) position++;
  return position;
}
