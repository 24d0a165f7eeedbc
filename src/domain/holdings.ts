// Lines of the manifest of an archive, by which archives are compared.

/** A file. Archives are equal when they have the same names with the same SHA-256. */
export interface HeldFile {
  readonly sourceId: number;
  /** ISO 8601 with all decimals of the archive. */
  readonly date: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The files of a source of one UTC day. */
export interface HeldDayLine {
  readonly sourceId: number;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Files. */
  readonly count: number;
  readonly bytes: number;
  /** Sum of the first 40 bits of the SHA-256 of the files, modulo 2^40: ten hexadecimal digits. */
  readonly checksum: string;
}
