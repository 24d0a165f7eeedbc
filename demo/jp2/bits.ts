// Packet header bits (ISO/IEC 15444-1, B.10.1): most significant first; the byte after 0xFF carries seven bits.

/** Reads packet header bits from `bytes`, from `position` on. */
export class HeaderBitReader {
  position: number;
  readonly #bytes: Uint8Array;
  #current = 0;
  #left = 0;

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  bit(): number {
    if (this.#left === 0) {
      this.#left = this.#current === 0xff ? 7 : 8;
      this.#current = this.#bytes[this.position++] ?? 0;
    }
    this.#left -= 1;
    return (this.#current >> this.#left) & 1;
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.bit();
    return value;
  }

  /** Skips to the byte after the header: a header never ends in 0xFF. */
  align(): void {
    if (this.#current === 0xff) this.position += 1;
    this.#left = 0;
    this.#current = 0;
  }
}

/** Collects packet header bits; `finish` pads the last byte and returns all bytes. */
export class HeaderBitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #left = 8;

  bit(value: number): void {
    this.#left -= 1;
    this.#current |= value << this.#left;
    if (this.#left === 0) this.#flush();
  }

  bits(value: number, count: number): void {
    for (let i = count - 1; i >= 0; i--) this.bit((value >> i) & 1);
  }

  finish(): number[] {
    if (this.#left < 8) this.#flush();
    return this.#bytes;
  }

  #flush(): void {
    this.#bytes.push(this.#current);
    this.#left = this.#current === 0xff ? 7 : 8;
    this.#current = 0;
  }
}
