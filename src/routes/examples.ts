// Values of the examples in the documentation: what the sample archive of `npm start` has.

/** Date of most sample images. */
export const EXAMPLE_DATE = '2024-05-10T12:00:00Z';

/** A day of the sample archive. */
export const EXAMPLE_DAY = { startTime: '2024-05-10T00:00:00Z', endTime: '2024-05-11T00:00:00Z' } as const;

/** AIA 171. */
export const EXAMPLE_SOURCE = 10;

/** The first image of AIA 171 in a new archive: sequence 1 in shard 10. */
export const EXAMPLE_IMAGE = 26;
