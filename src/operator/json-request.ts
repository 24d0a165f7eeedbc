// JSON bodies of the requests of operators.
import type { z } from 'zod';
import { requestBody } from '../platform/http/request.ts';
import { parsedJson } from '../platform/util/bytes.ts';
import { Failure, shown } from '../platform/util/errors.ts';

interface Expected<S extends z.ZodType> {
  /** A strict object, whose unknown members are refused by name. */
  readonly schema: S;
  /** The form of the body, for the error. */
  readonly what: string;
  readonly maxBytes: number;
}

/** The first member that the schema does not have. */
const unknownMember = (issues: readonly z.core.$ZodIssue[]): string | undefined =>
  issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))[0];

/** @throws Failure `bad-parameter` for another body, `body-too-large` */
export async function jsonRequest<S extends z.ZodType>(
  request: Request,
  { schema, what, maxBytes }: Expected<S>,
): Promise<z.output<S>> {
  const bytes = await requestBody(request, maxBytes);
  const { success, data, error } = schema.safeParse(parsedJson(bytes));
  if (success) return data;
  const parameter = unknownMember(error.issues);
  if (parameter === undefined) throw new Failure('bad-parameter', `The body has to be ${what}.`);
  throw new Failure('bad-parameter', `The body has no member ${shown(parameter)}. It is ${what}.`, {
    parameter: shown(parameter),
  });
}
