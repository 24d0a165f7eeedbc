// Parameters of requests as records of overlays and operations state them. Routes make schemas of them.

/** `arcsec`: from the Sun's centre. A parameter without `byDefault` is optional. */
export type PictureParameter =
  | { readonly type: 'flag'; readonly description: string; readonly byDefault: boolean }
  | { readonly type: 'choice'; readonly description: string; readonly words: readonly string[]; readonly byDefault?: string }
  | { readonly type: 'arcsec'; readonly description: string }
  | {
      readonly type: 'integer';
      readonly description: string;
      readonly min: number;
      readonly max: number;
      readonly byDefault?: number;
    }
  | { readonly type: 'date'; readonly description: string }
  /** Text in a notation of its own; `what` is the expectation in an error sentence. */
  | { readonly type: 'text'; readonly description: string; readonly what: string; readonly example: string };

/** What has parameters. */
export interface Parametrised {
  readonly parameters: Readonly<Record<string, PictureParameter>>;
}

/** Names of the parameters of some records. */
export type ParameterName<R extends Parametrised> = R extends unknown ? keyof R['parameters'] & string : never;

/** The parameter of this name. */
export type ParameterNamed<R extends Parametrised, N extends string> = R extends {
  readonly parameters: { readonly [K in N]: infer P };
}
  ? P
  : never;

type ValueOf<P> = P extends PictureParameter
  ? { flag: boolean; choice: string; arcsec: number; integer: number; date: number; text: string }[P['type']]
  : never;

/** Values of the parameters of some records. Dates are in milliseconds since 1970. */
export type ParametersOf<R extends Parametrised> = {
  readonly [N in ParameterName<R>]?: ValueOf<ParameterNamed<R, N>> | undefined;
};
