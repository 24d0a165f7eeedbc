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
  export default function SwaggerUI(options: {
    readonly spec: Document;
    readonly domNode: Element;
    readonly plugins: readonly Plugin[];
    readonly deepLinking: boolean;
    readonly tryItOutEnabled: boolean;
    readonly syntaxHighlight: boolean;
    readonly validatorUrl: null;
    readonly defaultModelsExpandDepth: number;
  }): { getSystem(): System };
}
