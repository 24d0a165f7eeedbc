import { Jp2Error, malformed } from './errors.ts';

/** Big-endian reader with bounds. A read past the end throws a Jp2Error that names the structure (`what`). */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly #view: DataView;
  readonly #what: string;
  position: number;

  constructor(bytes: Uint8Array, what: string, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.#what = what;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = start;
    this.end = Math.min(end, bytes.length);
  }

  get left(): number {
    return this.end - this.position;
  }

  #advance(count: number): number {
    const at = this.position;
    if (count < 0 || at + count > this.end)
      throw malformed(`The ${this.#what} is cut short: ${Math.max(0, this.end - at)} of ${count} bytes are left.`);
    this.position = at + count;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  u32LittleEndian(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** A 64-bit number; beyond 2^53 it is not exact, and larger than any file. */
  u64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8)));
  }

  take(count: number): Uint8Array {
    const at = this.#advance(count);
    return this.bytes.subarray(at, at + count);
  }

  /** An unsigned number of at most 53 bits, 7 bits a byte, low bits first. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw malformed(`A number in the ${this.#what} has more than 53 bits.`);
      if (byte < 128) return value;
    }
  }
}

/** Growing buffer for writing the same encodings. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  #grow(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  u8(value: number): void {
    this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.u8((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.u8(rest);
  }

  put(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A length and that many bytes. */
  block(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.put(bytes);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

/** What `read` makes of bytes; null where they are invalid. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Jp2Error) return null;
    throw error;
  }
}
