// Types of the requests and responses of the operations, for the client and the pages of the service. They are generated from the OpenAPI
// document (build.ts).
import type { components, operations } from './api.js';

/** Named parts of responses. */
export type Schemas = components['schemas'];

export type OperationName = keyof operations;

/** Parameters of an operation; times may be a Date. */
export type Parameters<N extends OperationName> = Omit<
  operations[N] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Body
    : NonNullable<operations[N]['parameters']['query']>,
  'callback'
>;

type Content<N extends OperationName> = operations[N]['responses'] extends { 200: { content: infer Found } } ? Found : never;
/** Operations that respond with JSON. */
export type JsonOperation = {
  [N in OperationName]: Content<N> extends { 'application/json': unknown } ? N : never;
}[OperationName];
/** The JSON of a response. A body that reports a failure is thrown as `ServiceError`. */
export type Body<N extends JsonOperation> =
  Content<N> extends { 'application/json': infer Json } ? Exclude<Json, { errno: number }> : never;
