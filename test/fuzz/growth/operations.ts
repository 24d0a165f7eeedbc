// The fields of operations, which come from the OpenAPI document and its examples, and the names by which operations are called.
import { operations } from '../../../src/faces/operations.ts';
import { TAGS } from '../../../src/faces/pages.ts';
import { openApiDocument } from '../../../src/platform/http/openapi/document.ts';
import { REQUEST_LIMITS } from '../../../src/platform/limits/http.ts';
import { type Field, type HeaderValues, type Json, jsonFields, ORIGIN, post, postJson, textField } from './field.ts';
import type { GrowthService } from './service.ts';

/** Good values of the parameters of an operation, and the headers that a request of it needs. */
interface OperationRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** With the members that a query cannot have. */
  readonly body: Readonly<Record<string, Json>>;
  readonly headers: HeaderValues;
}

/** A field of a query, a form and a multipart body. */
function formFields({ path, query, headers }: OperationRequest, name: string): Field[] {
  const valuesWith = (text: string) => new URLSearchParams({ ...query, [name]: text });
  const multipart = (values: URLSearchParams) => {
    const form = new FormData();
    for (const [key, value] of values) form.append(key, value);
    return form;
  };
  const good = query[name] ?? '';
  const fieldIn = (where: string, request: (text: string) => Request) => textField({ name, where, good }, request);
  return [
    fieldIn(`GET ${path} ${name}`, (text) => new Request(`${ORIGIN}${path}?${valuesWith(text)}`, { headers })),
    fieldIn(`POST ${path} ${name} in a form`, (text) => post(path, valuesWith(text), headers)),
    fieldIn(`POST ${path} ${name} in parts`, (text) => post(path, multipart(valuesWith(text)), headers)),
  ];
}

/** As many parameters as a request may have, with names near to one of the operation, in a query and in a JSON body. */
function nameFields({ path, query, body, headers }: OperationRequest, name: string): Field[] {
  const characters = name.length + 8;
  const most = REQUEST_LIMITS.parameters - Object.keys({ ...body, ...query }).length;
  const others = Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
  const describe = () => `n characters of parameters with names like ${name}`;
  const field = { name: 'names', good: null, lengths: [most * characters], describe };
  const valuesOf = (length: number) =>
    Object.fromEntries(Array.from({ length: Math.ceil(length / characters) }, (_, i) => [`${name}${i.toString(36)}`, '1']));
  const inQuery = (length: number) =>
    new Request(`${ORIGIN}${path}?${new URLSearchParams({ ...valuesOf(length), ...others })}`, { headers });
  const inBody = (length: number) => postJson(path, { ...valuesOf(length), ...body }, headers);
  return [
    { ...field, where: `GET ${path} names`, requests: [(_, length) => inQuery(length)] },
    { ...field, where: `POST ${path} names`, requests: [(_, length) => inBody(length)] },
  ];
}

/** A parameter of the operations that have none. */
const IGNORED = 'ignored';

/** The fields of every operation: those of the document and those of the example. */
export function operationFields({ good, examples, ownPage }: GrowthService): readonly Field[] {
  const { paths } = openApiDocument(operations.values(), { origin: ORIGIN, tags: TAGS });
  return Object.entries(paths).flatMap(([path, item]) => {
    const operation = path.split('/')[2]!;
    const headers = operations.get(operation)?.tag === 'Video host' ? ownPage : {};
    const request = { path, query: good[operation] ?? {}, body: examples.get(operation) ?? {}, headers };
    const documented = Object.values(item).flatMap(({ parameters = [], requestBody }) => [
      ...parameters.map(({ name }) => name),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
    ]);
    const names = new Set([...documented, ...Object.keys(request.body)]);
    return [...(names.size > 0 ? names : [IGNORED])].flatMap((name) => [
      ...formFields(request, name),
      ...jsonFields(path, request.body, name, headers),
      ...nameFields(request, name),
    ]);
  });
}

/** The name of an operation in the action form. */
export function actionFields({ good }: Pick<GrowthService, 'good'>): readonly Field[] {
  const request = { path: '/', query: { action: 'getClosestImage', ...good.getClosestImage }, body: {}, headers: {} };
  return formFields(request, 'action');
}

/** What the video host adds to the address to which it redirects. */
export function returnFields({ ownPage }: Pick<GrowthService, 'ownPage'>): readonly Field[] {
  const query = { html: 'true', code: '4/0AbCd-ef_gh', state: '0123456789abcdef', error: 'access_denied' };
  const request = { path: '/v2/uploadMovieToVideoHost/', query, body: {}, headers: ownPage };
  return ['code', 'state', 'error'].flatMap((name) => formFields(request, name).slice(0, 1));
}
