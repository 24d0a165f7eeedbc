// What the faces of other standards have in common: ids as texts, addresses of nothing, and failures in a form of their own.
import { NO_STORE } from '../platform/http/cache-policy.ts';
import { statusOf } from '../platform/http/errors.ts';
import type { Shape, Values } from '../platform/http/parameters.ts';
import { type Representation, textReply } from '../platform/http/response.ts';
import { Failure } from '../platform/util/errors.ts';
import { resource } from './services.ts';

const IDS = { image: /^image-(\d{1,15})$/, source: /^source-(\d{1,7})$/ } as const;

/** The id of an image or a datasource as a text, such as image-26. */
export const idText = (kind: keyof typeof IDS, id: number): string => `${kind}-${id}`;

/** The number in the text of an id. @throws the failure of another text */
export function idIn(kind: keyof typeof IDS, text: string, failure: (text: string) => Failure): number {
  const digits = IDS[kind].exec(text)?.[1];
  if (digits === undefined) throw failure(text);
  return Number(digits);
}

type Failed = (failure: Error) => Promise<Representation> | null;

/** Failures of requests in the form of a standard, by a text; null for those that keep the form of the operations. */
export const failedAs =
  (type: string, textOf: (failure: Failure) => string | null, status = statusOf): Failed =>
  (failure) => {
    const text = failure instanceof Failure ? textOf(failure) : null;
    return text === null ? null : textReply(type, text, { policy: NO_STORE, status: status(failure as Failure) });
  };

/** Addresses below a face where nothing is. */
export const elsewhere = <S extends Shape>({
  refusal,
  ...definition
}: {
  readonly name: string;
  readonly path: RegExp;
  readonly parameters?: S;
  readonly refusal: (values: Values<S>) => Failure;
  readonly failed?: Failed;
}) =>
  resource({
    ...definition,
    canonical: (values: Values<S>): never => {
      throw refusal(values);
    },
    handle: async (never: never) => never,
  });
