// Bit input of packet headers with bit stuffing (ISO/IEC 15444-1 B.10.1): after a byte 0xFF the next byte carries 7 bits.

let position: usize = 0;
let limit: usize = 0;
let current: u32 = 0;
let bitsLeft: i32 = 0;
let overrun: bool = false;

export function bioOpen(start: usize, end: usize): void {
  position = start;
  limit = end;
  current = 0;
  bitsLeft = 0;
  overrun = false;
}

/** True once the header was read past its end; further bits read as 0. */
export function bioOverrun(): bool {
  return overrun;
}

export function bit(): u32 {
  if (bitsLeft == 0) {
    bitsLeft = current == 0xff ? 7 : 8;
    if (position < limit) current = load<u8>(position++);
    else {
      current = 0;
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
