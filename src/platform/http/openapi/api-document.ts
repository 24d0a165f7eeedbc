// Shape of the OpenAPI document, as far as this project reads it.

interface Body {
  readonly schema: object;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Body>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: object;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedOperation; readonly post?: DocumentedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, { readonly example: unknown }>>;
  };
}
