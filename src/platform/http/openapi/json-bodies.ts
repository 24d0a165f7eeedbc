// Bodies of responses in the OpenAPI document: descriptions, examples, and schemas of JSON, with the types that the code is checked against.
import { z } from '@hono/zod-openapi';
import type { ErrorBody } from '../errors.ts';

/** Builds a schema. It is called with the document only, so that an isolate starts without all schemas. */
type LazySchema<T = unknown> = () => z.ZodType<T>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export type JsonBody<S extends LazySchema> = DeepReadonly<z.output<ReturnType<S>>>;

/** The JSON body of a response. `example`: in place of that of examples.json. */
export interface DescribedBody {
  readonly description: string;
  readonly schema: LazySchema;
  readonly example?: unknown;
}

/** The body of a response; a file or a page has a description alone. */
export type ResponseBody =
  | string
  | { readonly description: string; readonly schema?: never; readonly example: string }
  | DescribedBody;

export const jsonBody = <S extends LazySchema>(description: string, schema: S, example?: JsonBody<S>): DescribedBody => ({
  ...{ description, schema },
  ...(example === undefined ? {} : { example }),
});

/** One instance for each function, so that all operations refer to one named component. */
const built = new Map<LazySchema, z.ZodType>();

export function schemaOf(lazy: LazySchema): z.ZodType {
  const known = built.get(lazy);
  if (known) return known;
  const schema = lazy();
  built.set(lazy, schema);
  return schema;
}

/** An object that the document has as a component of this name. */
export const named = <Members extends z.ZodRawShape>(name: string, description: string | null, members: Members) =>
  z.object(members).openapi(name, description === null ? {} : { description });

/** Described members of a JSON body. */
export const text = (description: string) => z.string().describe(description);
export const number = (description: string) => z.number().describe(description);
export const whole = (description: string) => z.int().describe(description);
export const object = <Members extends z.ZodRawShape>(description: string, members: Members) =>
  z.object(members).describe(description);

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const dateTimeText = (description: string) => text(`${description} \`YYYY-MM-DD HH:MM:SS\`, UTC.`);

/** The body of every failure, as errors.ts writes it. */
export const errorSchema = (): z.ZodType<ErrorBody> =>
  named('Error', 'A failure.', {
    error: z.string().describe('A sentence for people, often "Expected <what> for <name>, got <value>."'),
    errno: z.int().describe('Number of the failure, as in the original service; 255 for defects of the service alone.'),
    parameter: z.string().optional().describe('The parameter at fault.'),
    reason: z.string().optional().describe('A word for programs where several causes share a number.'),
    details: z.string().optional().describe('A sentence about the particular case, where `error` is a general one.'),
    replacedBy: z.int().nullable().optional().describe('Id of the image that replaced a withdrawn one; null where none did.'),
    suggestion: z.string().optional().describe('The value that was probably meant, to be sent instead.'),
    docs: z.string().optional().describe('Address of the documentation of the operation, for people.'),
    requestId: z.string().describe('The same as X-Request-Id, to be named in a report.'),
  });
