/** The palette of what has no colour table: sample i is the grey i, i, i. Not to be written to. */
export const GREY_TABLE = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));
