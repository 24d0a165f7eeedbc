// A resource: an address outside the operations that has parameters in its path and its query, read by the same rules.
import type { Failure } from '../util/errors.ts';
import { asFailure } from './errors.ts';
import { explained } from './meant.ts';
import { type CanonicalValues, cacheKey, ignoredNotices, type OperationContext, withNotices } from './operation.ts';
import { countedValue, parseParameters, type RawParameters, type Shape, type Values } from './parameters.ts';
import { collectParameters, collectQuery, type Found, METHODS, READING, type Route, readOnce } from './request.ts';
import type { Representation } from './response.ts';

export interface ResourceDefinition<Services, S extends Shape, C> {
  /** Name in the keys of the edge cache. */
  readonly name: string;
  /** The paths; each named group is the parameter of that name, in place of one of the query. */
  readonly path: RegExp;
  readonly parameters?: S;
  /** The validated parameters in the form that `handle` takes. Unset: as they are. */
  readonly canonical?: (values: Values<S>) => C;
  /** The parameters on which the response depends, as they stand in the key of the edge cache. Unset: requests do not pass that cache. */
  readonly key?: (canonical: C) => CanonicalValues;
  /** The failure of a parameter that is not among `known`, in standards that refuse one. Unset: it is left out, with a notice. */
  readonly unknown?: (name: string, known: readonly string[]) => Failure;
  /** Whether POST is taken, with parameters in a body. Unset: false. */
  readonly takesPost?: boolean;
  readonly handle: (canonical: C, context: OperationContext<Services>) => Promise<Representation>;
  /** The response to a failure in the form of a standard; null for the form of the operations, which is also that without this member. */
  readonly failed?: (failure: Error) => Promise<Representation> | null;
}

export function defineResource<Services, S extends Shape, C>(
  definition: ResourceDefinition<Services, S, C>,
): Route<OperationContext<Services>> {
  const { name, path, parameters = {} as S, canonical = (values) => values as C, key, unknown, handle, failed } = definition;
  const known = Object.keys(parameters);
  const parse = ({ groups }: Found, given: RawParameters) => {
    const raw: RawParameters = new Map([...given, ...Object.entries(groups).map(([group, text]) => [group, [text]] as const)]);
    try {
      const values = parseParameters(parameters, raw, false);
      const other = unknown && [...raw.keys()].find((given) => !known.includes(given));
      if (other !== undefined) throw unknown!(other, known);
      return { given, call: canonical(values) };
    } catch (error) {
      throw explained(error, parameters, raw);
    }
  };
  const read = (found: Found) => readOnce(found, () => parse(found, collectQuery(found.url)));
  return {
    kind: 'resource',
    path,
    methods: definition.takesPost ? METHODS : READING,
    key:
      key &&
      ((found) => {
        const { given, call } = read(found);
        const kept = [...given].filter(([name]) => Object.hasOwn(parameters, name) && !Object.hasOwn(found.groups, name));
        return {
          key: `/${cacheKey(name, key(call))}`,
          query: new URLSearchParams(kept.map(([parameter, values]) => [parameter, String(countedValue(values))])),
          notices: ignoredNotices(parameters, given),
        };
      }),
    async handle(context, found, request) {
      try {
        const isPost = request.method === 'POST';
        const { given, call } = isPost ? parse(found, await collectParameters(request, found.url)) : read(found);
        return withNotices(await handle(call, context), ignoredNotices(parameters, given));
      } catch (error) {
        const reply = failed?.(asFailure(error));
        if (reply) return reply;
        throw error;
      }
    },
  };
}
