// A resource: an address outside the operations that has parameters in its path and its query, read by the same rules.
import type { Failure } from '../domain/errors.ts';
import { asFailure } from './errors.ts';
import { explained } from './meant.ts';
import { type CanonicalValues, cacheKey, ignoredNotices, type OperationContext, withNotices } from './operation.ts';
import { countedValue, parseParameters, type RawParameters, type Shape, type Values } from './parameters.ts';
import { collectParameters, collectQuery } from './request.ts';
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

export interface CacheableResource {
  readonly key: string;
  /** The query without what the key leaves out. */
  readonly query: URLSearchParams;
  readonly notices: readonly string[];
}

export interface Resource<Services> {
  readonly path: RegExp;
  /** Null for requests that do not pass the edge cache. @throws Failure for the first parameter that is at fault */
  cacheable(url: URL, groups: PathGroups): CacheableResource | null;
  readonly takesPost: boolean;
  respond(context: OperationContext<Services>, place: Place): Promise<Representation>;
}

export type PathGroups = Readonly<Record<string, string>>;

/** A requested path. `posted`: the request whose body has parameters. */
export interface Place {
  readonly path: string;
  readonly groups: PathGroups;
  readonly posted?: Request | undefined;
}

export function defineResource<Services, S extends Shape, C>(definition: ResourceDefinition<Services, S, C>): Resource<Services> {
  const { name, path, parameters = {} as S, canonical = (values) => values as C, key, unknown } = definition;
  const { takesPost = false, handle, failed } = definition;
  const known = Object.keys(parameters);
  const read = (given: RawParameters, groups: PathGroups): C => {
    const raw: RawParameters = new Map([...given, ...Object.entries(groups).map(([group, text]) => [group, [text]] as const)]);
    try {
      const values = parseParameters(parameters, raw, false);
      const other = unknown && [...raw.keys()].find((given) => !known.includes(given));
      if (other !== undefined) throw unknown!(other, known);
      return canonical(values);
    } catch (error) {
      throw explained(error, parameters, raw);
    }
  };
  return {
    path,
    takesPost,
    cacheable(url, groups) {
      if (!key) return null;
      const query = collectQuery(url);
      const call = read(query, groups);
      const known = [...query].filter(([parameter]) => Object.hasOwn(parameters, parameter) && !Object.hasOwn(groups, parameter));
      return {
        key: `/${cacheKey(name, key(call))}`,
        query: new URLSearchParams(known.map(([parameter, values]) => [parameter, String(countedValue(values))])),
        notices: ignoredNotices(parameters, query),
      };
    },
    async respond(context, { groups, posted }) {
      try {
        const given = posted ? await collectParameters(posted, context.url) : collectQuery(context.url);
        return withNotices(await handle(read(given, groups), context), ignoredNotices(parameters, given));
      } catch (error) {
        const reply = failed?.(asFailure(error));
        if (reply) return reply;
        throw error;
      }
    },
  };
}
