/** An error and its causes, from the outermost to the innermost; nothing for a thrown value that is no error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

/** An error for a log: with its stack where it has one. */
export const traceOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** The underlying error, for a log. */
export const causeOf = (error: unknown): string => traceOf(error instanceof Error ? (error.cause ?? error) : error);
