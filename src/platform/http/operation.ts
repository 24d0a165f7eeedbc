// An operation is data: its name, its parameters, how its responses are cached, and how a response is made.
import { sourceByNames, sourceInSentence, suggestedSource } from '../../sun/catalogue/sources.ts';
import { requestAddress } from '../../sun/provenance.ts';
import type { RenderCall } from '../admission/admission.ts';
import { didYouMean, Failure, type Suggestion, shown } from '../util/errors.ts';
import { nearestWord } from '../util/nearest-word.ts';
import { asFailure } from './errors.ts';
import { asScript } from './jsonp.ts';
import examples from './openapi/examples.json' with { type: 'json' };
import type { DescribedBody, HeaderName, ParameterShape, RawParameters, ResponseBody, Values } from './parameters.ts';
import {
  callback as callbackParameter,
  countedValue,
  misspelledParameters,
  parseParameters,
  repeatedParameters,
} from './parameters.ts';
import type { Found, Keyed, PathGroups, Route, Version } from './request.ts';
import { API_PATH, collectParameters, collectQuery, METHODS, otherMethod, READING, readOnce } from './request.ts';
import type { Representation } from './response.ts';

/** The parts of a request that an operation sees besides its parameters. */
export interface OperationContext<Services> extends RenderCall {
  readonly services: Services;
  /** Network address of the client, or the name of its token. */
  readonly client: string;
  readonly version: Version;
  readonly url: URL;
  /** Request headers, for operations that identify their user by a cookie. Their responses are never shared. */
  readonly headers: Headers;
}

/** A call of an operation with valid parameters. */
interface Call<Services> {
  /** Key of the response in the edge cache; null for responses that do not pass it. */
  readonly key: string | null;
  /** Whether it changes stored state: HEAD is then refused, and it counts as a change of its client. */
  readonly hasSideEffects: boolean;
  /** The response, as a script where the call has a callback. */
  handle(context: OperationContext<Services>): Promise<Representation>;
}

/** A response of another status than 200. Failures are JSON besides `content`, and redirects have none. */
export interface OtherResponse {
  readonly description: string;
  /** Bodies by media type. */
  readonly content?: Readonly<Record<string, ResponseBody>>;
  readonly headers?: readonly HeaderName[];
}

/** Documentation of an operation for the OpenAPI document, and what a failure of its requests is shown as. */
interface OperationDescription {
  /** Sentence without details, as a heading. */
  readonly summary: string;
  /** Limits, surprises and differences from what a reader expects, in Markdown. */
  readonly description: string;
  readonly tag: string;
  /** The method that is documented; every operation accepts both. `post`: parameters in a JSON body. Unset: get. */
  readonly method?: 'get' | 'post';
  /** Media types of a successful response, and the content of each. JSONP follows from the parameters. */
  readonly responses: Readonly<Record<string, ResponseBody>>;
  /** The JSON body in v1 where it differs. */
  readonly bodyInV1?: DescribedBody;
  /** Other statuses that this operation returns, and the meaning of each. */
  readonly otherResponses?: Readonly<Record<number, string | OtherResponse>>;
  /** Headers of a successful response, besides those that all have. */
  readonly headers?: readonly HeaderName[];
  /** Whether failures of a JSONP request are passed to its function with status 200. Unset: false. */
  readonly reportsFailuresInScripts?: boolean;
}

export interface Operation<Services> extends OperationDescription {
  readonly name: string;
  readonly method: 'get' | 'post';
  /** Parameters by version; a version that is absent does not have the operation. `callback` is among them. */
  readonly shapes: Readonly<Partial<Record<Version, ParameterShape>>>;
  /** Parameters of a request that the sample archive of `npm start` can serve, as in a JSON body: those of examples.json. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Whether every call changes stored state. */
  readonly hasSideEffects: boolean;
  readonly edge: Edge;
  /** @throws Failure for the first parameter that is at fault. */
  call(version: Version, raw: RawParameters): Call<Services>;
}

/** A parameter as an operation uses it: parsed, defaulted, normalised. Undefined values are not part of the key. */
export type CanonicalValue = string | number | boolean | object | undefined;
export type CanonicalValues = Readonly<Record<string, CanonicalValue>>;

/** `shared`: keyed by canonical parameters; `by-version`: with the version; `given`: as they were given; `large`: so, for files of any size. */
type Edge = 'shared' | 'by-version' | 'given' | 'large' | 'none';

export interface Definition<Services, S extends ParameterShape, C = Values<S>> extends OperationDescription {
  readonly name: string;
  readonly edge: Edge;
  /** The parameters in a canonical key; null for a response that does not pass the edge cache. Unset: all that `canonical` gives. */
  readonly key?: (canonical: C) => CanonicalValues | null;
  readonly parameters?: S;
  /** Parameters of v1 where they differ; null where v1 does not have the operation. */
  readonly parametersInV1?: ParameterShape | null;
  /** Whether `callback` makes a script of the response. Unset: false. */
  readonly jsonp?: boolean;
  /** Whether clients put addresses together by hand: the words undefined, null and NaN then stand for absent values. Unset: false. */
  readonly absentWords?: boolean;
  /** Whether a call changes stored state, or such a call does: HEAD is then refused. Unset: false. */
  readonly hasSideEffects?: boolean | ((canonical: C) => boolean);
  /** The validated parameters as `handle` takes them. @param raw All of the request, for unknown fields that are stored. Unset: as they are */
  readonly canonical?: (values: Values<S>, raw: RawParameters) => C;
  /** `address`: the request in its canonical form, without the host. */
  readonly handle: (canonical: C, context: OperationContext<Services>, address: () => string) => Promise<Representation>;
}

function valueText(value: Exclude<CanonicalValue, undefined>): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Key of a response: `<operation>?a=1&b=2` with sorted names and numbers in their shortest form, whatever the notation of the request. */
export function cacheKey(operation: string, values: CanonicalValues): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(values).sort()) {
    const value = values[name];
    if (value !== undefined) query.append(name, valueText(value));
  }
  return `${operation}?${query}`;
}

/** Names that other interfaces have for one thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['startTime', 'date', 'time', 'datetime', 'obstime', 'start', 'startDate', 'from', 'begin'],
  ['endTime', 'end', 'stop', 'stopTime', 'endDate', 'until', 'to'],
  ['sourceId', 'source', 'dataSource', 'dataset', 'sources', 'layers'],
  ['id', 'imageId', 'movieId', 'screenshotId', 'image', 'movie'],
  ['imageScale', 'scale', 'resolution', 'cdelt'],
  ['queryString', 'url', 'query', 'longUrl', 'address'],
  ['layers', 'imageLayers', 'layer', 'sourceId', 'source'],
];
/** Parameters of v1, which name a source together, and the name of one in lists. */
const LEVELS = ['observatory', 'instrument', 'detector', 'measurement', 'nickname'] as const;

const textOf = (raw: RawParameters, name: string) => {
  const value = countedValue(raw.get(name) ?? []);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

/** The source that the names of its levels mean, as in v1. */
function namedSource(raw: RawParameters): (Suggestion & { readonly id: string }) | undefined {
  const names = LEVELS.flatMap((level) => textOf(raw, level) ?? []);
  const meant = names.length === 0 ? undefined : (sourceByNames(names) ?? suggestedSource(names.join(' ')));
  return meant && { value: sourceInSentence(meant), id: String(meant.id) };
}

/** A parameter that the request has under the name of another interface. */
function synonym(parameter: string, shape: ParameterShape, raw: RawParameters): string | undefined {
  const names = SYNONYMS.filter((group) => group.includes(parameter)).flatMap((group) => group.map((name) => name.toLowerCase()));
  return [...raw.keys()].find((given) => !Object.hasOwn(shape, given) && names.includes(given.toLowerCase()));
}

/** The failure of a request; of a missing parameter with what the request probably means by its other parameters. */
function explained(error: unknown, shape: ParameterShape, raw: RawParameters): unknown {
  const isMissing = error instanceof Failure && error.kind === 'missing-parameter' && error.suggestion === undefined;
  if (!isMissing || error.parameter === undefined) return error;
  const { parameter, message } = error;
  const failure = (text: string, suggestion?: string) =>
    new Failure('missing-parameter', message + text, { parameter, suggestion });
  const source = parameter === 'sourceId' ? namedSource(raw) : undefined;
  if (source) return failure(didYouMean(source), source.id);
  const given =
    misspelledParameters(shape, raw).find(({ meant }) => meant === parameter)?.given ?? synonym(parameter, shape, raw);
  if (given !== undefined) return failure(didYouMean({ value: parameter, gloss: `${shown(given)} is unknown` }), parameter);
  const isJson = [...raw.keys()].some((name) => /^\s*\{/.test(name));
  return isJson ? failure(' JSON is taken in the body of a POST with the Content-Type application/json.') : error;
}

/** What `read` makes of valid parameters. @throws Failure of the first at fault, of a missing one with what the request probably means */
function readParameters<S extends ParameterShape, T>(
  shape: S,
  raw: RawParameters,
  absentWords: boolean,
  read: (values: Values<S>) => T,
): T {
  try {
    return read(parseParameters(shape, raw, absentWords));
  } catch (error) {
    throw explained(error, shape, raw);
  }
}

/** The parameters of a request as they were given, without the empty ones. */
function givenValues(shape: ParameterShape, raw: RawParameters): CanonicalValues {
  const given = Object.keys(shape).map((name) => [name, String(countedValue(raw.get(name) ?? []) ?? '')] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

/** The response as an argument of the function `callback`, if there is one: JSON and text, but no pictures, redirects or errors. */
function inScript(representation: Representation, callback: string | undefined): Representation {
  if (callback === undefined || !('bytes' in representation) || representation.status !== undefined) return representation;
  return /^(application\/json|text\/)/.test(representation.contentType) ? asScript(representation, callback) : representation;
}

/** The given parameters of a call as their values are printed: dates in full, numbers in their shortest form, lists as they were given. */
function addressOf(operation: string, values: Readonly<Record<string, unknown>>, raw: RawParameters): string {
  const given = Object.entries(values).flatMap(([name, value]) => {
    const text = countedValue(raw.get(name) ?? []) ?? '';
    if (value === undefined || text === '') return [];
    const isDate = typeof value === 'number' && Number(text) !== value;
    return [[name, isDate ? new Date(value).toISOString() : Array.isArray(value) ? text : value] as const];
  });
  return requestAddress(operation, Object.fromEntries(given));
}

/** Whether keys consist of canonical parameters, so that they are the same in all notations. */
const hasCanonicalKey = (edge: Edge): boolean => edge === 'shared' || edge === 'by-version';

/** Builds operations from their definitions. v1 parameters must be a subset of v2's, or be converted to them by `canonical`. */
export function operationsOf<Services>() {
  return <S extends ParameterShape = Record<never, never>, C = Values<S>>(
    definition: Definition<Services, S, C>,
  ): Operation<Services> => {
    const { name, method = 'get', hasSideEffects = false } = definition;
    const example = (examples.requests as Readonly<Record<string, Operation<Services>['example']>>)[name] ?? {};
    const { parameters = {} as S, canonical: canonicalOf = (values) => values as C } = definition;
    const extra: ParameterShape = definition.jsonp ? { callback: callbackParameter().optional() } : {};
    const v2: ParameterShape = { ...parameters, ...extra };
    const inV1 = definition.parametersInV1 === undefined ? parameters : definition.parametersInV1;
    const { edge, absentWords = false, key: inKey = (canonical) => canonical as CanonicalValues } = definition;
    const isCanonical = hasCanonicalKey(edge);
    return {
      ...definition,
      method,
      example,
      hasSideEffects: hasSideEffects === true,
      shapes: inV1 === null ? { v2 } : { v1: { ...inV1, ...extra }, v2 },
      call(version, raw) {
        const shape = this.shapes[version] ?? v2;
        return readParameters(shape, raw, absentWords, ({ callback: given, ...values }) => {
          const callback = given as string | undefined;
          const canonical = canonicalOf(values as Values<S>, raw);
          const keyed = isCanonical ? inKey(canonical) : givenValues(shape, raw);
          const key = edge === 'none' || !keyed ? null : cacheKey(edge === 'shared' ? name : `${version}/${name}`, keyed);
          return {
            // The edge cache stores scripts as they are sent: one for each callback, which is among the given parameters.
            key: key !== null && isCanonical && callback !== undefined ? `${key}&callback=${callback}` : key,
            hasSideEffects: typeof hasSideEffects === 'function' ? hasSideEffects(canonical) : hasSideEffects,
            handle: async (context) =>
              inScript(await definition.handle(canonical, context, () => addressOf(name, values, raw)), callback),
          };
        });
      },
    };
  };
}

/** Notices on what a request has in vain: names close to those of absent parameters, and all but the last of several values. */
function ignoredNotices(shape: ParameterShape, raw: RawParameters): string[] {
  return [
    ...misspelledParameters(shape, raw).map(
      ({ given, meant }) => `The parameter ${given} is unknown and ignored. Did you mean ${meant}?`,
    ),
    ...repeatedParameters(shape, raw).map(
      (name) => `The parameter ${name} has several values, of which the last counts. Separate the values of a list by commas.`,
    ),
  ];
}

export function withNotices(representation: Representation, notices: readonly string[]): Representation {
  return notices.length === 0 ? representation : { ...representation, notices: [...(representation.notices ?? []), ...notices] };
}

type Operations<Services> = ReadonlyMap<string, Operation<Services>>;

const versionOf = ({ api, version }: PathGroups): Version => (api ? 'v1' : ((version as Version | undefined) ?? 'v2'));

/** The operation that the path or the query names. */
export function operationNamed<Services>({ groups, url }: Found, operations: Operations<Services>) {
  const operation = operations.get(groups.name ?? url.searchParams.getAll('action').at(-1) ?? '');
  return operation?.shapes[versionOf(groups)] ? operation : undefined;
}

/** The operation that the path or the parameter `action` names; null without one. @throws Failure `bad-parameter` for an unknown name */
function findTarget<Services>({ groups }: Found, raw: RawParameters, operations: Operations<Services>) {
  const version = versionOf(groups);
  const name = groups.name ?? countedValue(raw.get('action') ?? []);
  if (name === undefined) return null;
  const operation = typeof name === 'string' ? operations.get(name) : undefined;
  const shape = operation?.shapes[version];
  if (operation && shape) return { operation, version, shape };
  const names = [...operations].filter(([, { shapes }]) => shapes[version]).map(([known]) => known);
  const nearest = typeof name === 'string' ? nearestWord(name, names) : null;
  const suggestion = nearest === null ? undefined : { value: nearest };
  const sentence = `Expected the name of an operation of ${version} for action, got ${shown(name)}.${didYouMean(suggestion)}`;
  throw new Failure('bad-parameter', sentence, { parameter: 'action', suggestion: suggestion?.value });
}

const CHANGING: readonly string[] = METHODS.filter((method) => method !== 'HEAD');

/** @throws Failure of the operation, its name or the method */
function called<Services>(found: Found, raw: RawParameters, operations: Operations<Services>) {
  const target = findTarget(found, raw, operations);
  const { method } = found;
  const methods = target?.operation.hasSideEffects ? CHANGING : METHODS;
  if (!methods.includes(method)) throw otherMethod(methods, method);
  if (!target) return null;
  const call = target.operation.call(target.version, raw);
  if (method === 'HEAD' && call.hasSideEffects) throw otherMethod(CHANGING, 'HEAD');
  return { ...target, call, raw };
}

/** What is at a root where no operation is named. */
interface Home<Context> {
  readonly key: (found: Found) => Keyed | null;
  /** A page in place of the list; null for none. */
  readonly page: (context: Context, found: Found) => Promise<Representation | null>;
  readonly list: (request: Request) => Promise<Representation>;
}

/** The row of all operations: they are found by their names. */
export function operationsRoute<Services, Context extends OperationContext<Services>>(
  operations: Operations<Services>,
  home: Home<Context>,
): Route<Context> {
  const read = (found: Found) => readOnce(found, () => called(found, collectQuery(found.url), operations));
  return {
    kind: 'operation',
    path: API_PATH,
    key(found) {
      const named = operationNamed(found, operations);
      if (named && (named.edge === 'none' || named.hasSideEffects)) return null;
      const target = read(found);
      if (!target) return found.path === '/' ? home.key(found) : null;
      const { operation, shape, call, raw } = target;
      if (call.key === null) return null;
      const known = [...raw].filter(([name]) => name === 'action' || Object.hasOwn(shape, name));
      return {
        // The feed of the news has another format in the action form. Responses under canonical keys are the same in all forms.
        key: !hasCanonicalKey(operation.edge) && found.groups.name === undefined ? `/action/${call.key}` : `/${call.key}`,
        query: new URLSearchParams(known.map(([name, values]) => [name, String(countedValue(values))])),
        notices: ignoredNotices(shape, raw),
        isLarge: operation.edge === 'large',
      };
    },
    async handle(context, found, request) {
      const page = found.path === '/' ? await home.page(context, found) : null;
      if (page) return page;
      const isPost = request.method === 'POST';
      const target = isPost ? called(found, await collectParameters(request, found.url), operations) : read(found);
      if (target) {
        const { call, version, shape, raw } = target;
        if (call.hasSideEffects) await context.admission.change();
        return withNotices(await call.handle({ ...context, version }), ignoredNotices(shape, raw));
      }
      if (!isPost) return home.list(request);
      throw new Failure('missing-parameter', 'Expected the name of an operation for action, got nothing.', {
        parameter: 'action',
      });
    },
  };
}

export interface ResourceDefinition<Services, S extends ParameterShape, C> {
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
  readonly failed?: (failure: Failure) => Promise<Representation> | null;
}

/** Builds the routes of resources from their definitions. */
export function resourcesOf<Services>() {
  return <S extends ParameterShape = Record<never, never>, C = Values<S>>(
    definition: ResourceDefinition<Services, S, C>,
  ): Route<OperationContext<Services>> => {
    const { name, path, parameters = {} as S, canonical = (values) => values as C, key, unknown, handle, failed } = definition;
    const known = Object.keys(parameters);
    const parse = ({ groups }: Found, given: RawParameters) => {
      const raw: RawParameters = new Map([...given, ...Object.entries(groups).map(([group, text]) => [group, [text]] as const)]);
      return readParameters(parameters, raw, false, (values) => {
        const other = unknown && [...raw.keys()].find((given) => !known.includes(given));
        if (other !== undefined) throw unknown!(other, known);
        return { given, call: canonical(values) };
      });
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
  };
}
