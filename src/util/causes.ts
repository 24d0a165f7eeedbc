/** An error and its causes, from the outermost to the innermost; nothing for a thrown value that is no error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}
