// Progress of the sample archive, as `/health` states it and the explorer shows it.

/** Images in the archive so far, and in the whole sample. */
export interface SampleProgress {
  readonly done: number;
  readonly total: number;
}
