// Public ids of movies: random, and without vowels so that they spell no words.

/** The 52 letters and digits of the original service's ids. */
const ALPHABET = '0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz';
const LENGTH = 8;
const MOVIE_ID = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Bytes from this value on are rejected, because their remainder modulo 52 would favour the first characters. */
const UNBIASED_BYTES = 256 - (256 % ALPHABET.length);

/** A random id of 52^8 = 5e13. `randomBytes` fills its argument. */
export function newMovieId(
  randomBytes: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  let id = '';
  while (id.length < LENGTH) {
    const unbiased = randomBytes(new Uint8Array(LENGTH)).filter((byte) => byte < UNBIASED_BYTES);
    id += Array.from(unbiased, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  }
  return id.slice(0, LENGTH);
}

export function isMovieId(text: string): boolean {
  return MOVIE_ID.test(text);
}
