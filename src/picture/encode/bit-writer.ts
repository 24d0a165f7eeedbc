/** Bytes of one chunk of the buffer. */
const CHUNK_BYTES = 1 << 18;

/** Packs bits from the least significant bit of each byte up, as RFC 9649 does. Grows by chunks, without copying. */
export class BitWriter {
  readonly #full: Uint8Array[] = [];
  #chunk = new Uint8Array(CHUNK_BYTES);
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  get bitLength(): number {
    return (this.#full.length * this.#chunk.length + this.#at) * 8 + this.#pendingBits;
  }

  /** Writes a `value` of `bits` bits, at most 24; its higher bits must be 0. */
  write(value: number, bits: number): void {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#chunk[this.#at++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
      if (this.#at === this.#chunk.length) {
        this.#full.push(this.#chunk);
        this.#chunk = new Uint8Array(this.#chunk.length);
        this.#at = 0;
      }
    }
  }

  /** Moves all bits to `out`, from bit `bitOffset` on, where `out` must be zero. */
  moveTo(out: Uint8Array, bitOffset: number): void {
    const shift = bitOffset & 7;
    let to = bitOffset >>> 3;
    let carry = out[to]!;
    const tail = this.#chunk.subarray(0, this.#at + 1);
    tail[this.#at] = this.#pending;
    this.#full.push(tail);
    for (let bytes = this.#full.shift(); bytes; bytes = this.#full.shift())
      for (let i = 0; i < bytes.length; i++) {
        const value = bytes[i]! << shift;
        out[to++] = carry | value;
        carry = value >>> 8;
      }
    if (to < out.length) out[to] = carry;
  }
}
