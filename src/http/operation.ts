// An operation is data: what it is called, what it takes, how its answer may be kept, and how the answer is made.
import type { Stopwatch } from '../ports/images.ts';
import { type CanonicalValues, cacheKey } from './cache-key.ts';
import { callback as callbackParameter, type Shape, type Values } from './parameters.ts';
import type { Representation } from './representation.ts';
import { parseParameters, type RawParameters } from './request-parameters.ts';

export type Version = 'v1' | 'v2';
export const VERSIONS: readonly Version[] = ['v1', 'v2'];

/** What an operation knows of the request besides its parameters. */
export interface OperationContext<Services> {
  readonly services: Services;
  readonly version: Version;
  readonly url: URL;
  /** Of the request: for operations that know their user by a cookie. Their answers are never shared. */
  readonly headers: Headers;
  readonly stopwatch: Stopwatch;
  /** Lets work go on after the answer is sent. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** A request of an operation whose parameters are good. */
export interface Call<Services> {
  /** Name of the answer in the edge cache; null for answers that are not shared there. */
  readonly key: string | null;
  /** Function of a JSONP answer. */
  readonly callback: string | undefined;
  answer(context: OperationContext<Services>): Promise<Representation>;
}

/** What the OpenAPI document says of an operation. */
export interface OperationDescription {
  readonly summary: string;
  readonly tag: string;
  /** How it is documented; every operation answers both. `post`: with the parameters in a JSON body. Unset: get. */
  readonly method?: 'get' | 'post';
  /** Media types of the answer and what each holds. */
  readonly answers: Readonly<Record<string, string>>;
  /** Other statuses that are usual answers or refusals of this operation, and what each means. */
  readonly otherAnswers?: Readonly<Record<number, string>>;
}

export interface Operation<Services> extends OperationDescription {
  readonly name: string;
  /** Parameters by version; a version that is absent does not have the operation. `callback` is among them. */
  readonly shapes: Readonly<Partial<Record<Version, Shape>>>;
  /** Whether every answer leaves something behind: HEAD is then refused. */
  readonly keeps: boolean;
  /** @throws Failure for the first parameter that is at fault. */
  call(version: Version, raw: RawParameters, limits: { parameterCharacters: number }): Call<Services>;
}

export interface Definition<Services, S extends Shape, C extends CanonicalValues> extends OperationDescription {
  readonly name: string;
  readonly parameters: S;
  /** Parameters of v1 where they differ; null where v1 does not have the operation. */
  readonly parametersInV1?: Shape | null;
  readonly jsonp: boolean;
  /** Whether every answer leaves something behind: HEAD is then refused. */
  readonly keeps?: boolean;
  /**
   * `shared`: answers are found at the edge by their canonical parameters; `by-version`: and by the version, because v1
   * answers differently; `own`: the operation keeps what it wants to keep itself.
   */
  readonly edge: 'shared' | 'by-version' | 'own';
  /** The parameters as the answer depends on them: aliases resolved, names turned into ids, what does not matter left out. */
  canonical(values: Values<S>): C;
  answer(values: C, context: OperationContext<Services>): Promise<Representation>;
}

/** Makes an operation of its definition. v1 parameters have to be a subset of v2's, or be turned into them by `canonical`. */
export function defineOperation<Services, S extends Shape, C extends CanonicalValues>(
  definition: Definition<Services, S, C>,
): Operation<Services> {
  const { name, summary, tag, method = 'get', answers, otherAnswers = {}, edge } = definition;
  const extra: Shape = definition.jsonp ? { callback: callbackParameter().optional() } : {};
  const v2: Shape = { ...definition.parameters, ...extra };
  const inV1 = definition.parametersInV1 === undefined ? definition.parameters : definition.parametersInV1;
  return {
    name,
    summary,
    tag,
    method,
    answers,
    otherAnswers,
    keeps: definition.keeps ?? false,
    shapes: inV1 === null ? { v2 } : { v1: { ...inV1, ...extra }, v2 },
    call(version, raw, limits) {
      const { callback, ...values } = parseParameters(this.shapes[version] ?? v2, raw, limits) as Record<string, unknown>;
      const canonical = definition.canonical(values as Values<S>);
      const keyName = edge === 'by-version' ? `${version}/${name}` : name;
      return {
        key: edge === 'own' ? null : cacheKey(keyName, canonical),
        callback: callback as string | undefined,
        answer: (context) => definition.answer(canonical, context),
      };
    },
  };
}
