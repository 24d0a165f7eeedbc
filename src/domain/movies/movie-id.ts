// Public ids of movies: random, short, and without vowels, so that they spell no words.

/** 52 letters and digits, as the ids of the original service are made of. */
const ALPHABET = '0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz';
const LENGTH = 8;
const MOVIE_ID = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Random bytes from this on are drawn again: the rest of a division by 52 would favour the first letters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** A new id, one of 52^8 = 5e13. `randomBytes` fills its argument. */
export function newMovieId(
  randomBytes: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  let id = '';
  while (id.length < LENGTH) {
    const fair = randomBytes(new Uint8Array(LENGTH)).filter((byte) => byte < FAIR_BYTES);
    id += Array.from(fair, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  }
  return id.slice(0, LENGTH);
}

export function isMovieId(text: string): boolean {
  return MOVIE_ID.test(text);
}
