declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export type Props = Readonly<Record<string, unknown>>;
  type Component = (props: Props) => unknown;
  export type Wrapper = (original: Component) => Component;
  interface System {
    readonly React: { createElement(type: unknown, props: object, ...children: unknown[]): unknown };
    readonly layoutActions: { parseDeepLinkHash(hash: string): void };
  }
  type Operation = { readonly operationId: string; readonly tags: readonly string[] };
  export type Document = { readonly paths: Record<string, Record<string, Operation>> };
  export type Plugin = (system: System) => { components: Record<string, Component>; wrapComponents: Record<string, Wrapper> };
  export default function SwaggerUI(options: Props): { getSystem(): System };
}
