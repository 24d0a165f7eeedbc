// JSON bodies of the requests of operators.
import type { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import { requestBody } from '../../http/request.ts';

interface Expected<S extends z.ZodType> {
  readonly schema: S;
  /** The form of the body, for the error. */
  readonly what: string;
  readonly maxBytes: number;
}

/** @throws Failure `bad-parameter` for another body, `body-too-large` */
export async function jsonRequest<S extends z.ZodType>(
  request: Request,
  { schema, what, maxBytes }: Expected<S>,
): Promise<z.output<S>> {
  const bytes = await requestBody(request, maxBytes);
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new Failure('bad-parameter', `The body has to be ${what}.`);
  }
}
