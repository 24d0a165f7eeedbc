declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export type Props = Readonly<Record<string, unknown>>;
  type Component = (props: Props) => unknown;
  export type Wrapper = (original: Component) => Component;
  interface System {
    readonly React: { createElement(type: unknown, props: object, ...children: unknown[]): unknown };
    readonly layoutActions: { parseDeepLinkHash(hash: string): void };
  }
  export interface Document {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly operationId: string; readonly tags: readonly string[] }>>>
    >;
  }
  export type Plugin = (system: System) => {
    readonly components: Readonly<Record<string, Component>>;
    readonly wrapComponents: Readonly<Record<string, Wrapper>>;
  };
  type Flag = 'deepLinking' | 'tryItOutEnabled' | 'syntaxHighlight';
  type Options = {
    spec: Document;
    domNode: Element;
    plugins: readonly Plugin[];
    validatorUrl: null;
    defaultModelsExpandDepth: number;
  };
  export default function SwaggerUI(options: Readonly<Options & Record<Flag, boolean>>): { getSystem(): System };
}
