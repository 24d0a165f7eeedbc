// An operation on a layer is one record: its parameters, its notation, its arithmetic and its words. Tiles, downloads, frames, screenshots,
// movies, the page, addresses and keys read the list of records (operations.ts).
import { badParameter } from '../../platform/util/errors.ts';
import { nearestWord } from '../../platform/util/nearest-word.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import { bracketGroups } from '../notation.ts';
import type { Parametrised, PictureParameter } from '../parameter.ts';

/** Levels of an image on the pixels of a picture, which an operation changes, and those of the image it is compared with. */
export interface LevelPlane {
  readonly samples: Uint8Array;
  readonly reference: Uint8Array | null;
  /** `compare` of src/picture/raster/, which needs the core. */
  compare(newer: Uint8Array, older: Uint8Array, isRatio: boolean): void;
}

/** How pictures of several layers name the operation for each of them. */
interface OfLayers<V> extends Parametrised {
  /**
   * The values of `count` layers, hidden ones too.
   * @param refuse Called with each failure: throws it, or notes it so that the layer is shown without the operation
   */
  read(parameters: object, count: number, refuse: (failure: Error) => undefined): readonly (V | undefined)[];
  /** Parameters of the values of layers; none where no layer has the operation. */
  print(values: readonly (V | undefined)[]): Readonly<Record<string, string>>;
}

/** @template V Value in a layer; undefined without the operation */
export interface LayerOperation<V = unknown, N extends string = string> extends Parametrised {
  /** Its member of a layer; its parameters for a single image are `parameters`. */
  readonly name: N;
  /** Part of the keys of pictures with the operation. Raise it when its pixels change. */
  readonly version: number;
  /**
   * Latest time of the older image of the source with which one taken at `takenAtMs` is compared, milliseconds since 1970. Unset: it needs
   * no other image.
   */
  referenceMs?(value: V, takenAtMs: number): number;
  /** Whether its levels have no colours. */
  readonly isGrey: boolean;
  /** @throws Failure naming the parameter at fault */
  read(parameters: object): V | undefined;
  /** The parameters of a value in their canonical form, which has milliseconds for `timeParameter`. */
  print(value: V): Readonly<Record<string, string | number>>;
  readonly timeParameter?: string;
  /** Null where the notation of layers has it. */
  readonly ofLayers: OfLayers<V> | null;
  /** Whether it changes the levels of each image by itself, before images are compared (src/picture/filters/). */
  readonly enhances?: boolean;
  /** Its processor time and memory in those of a layer; unset for 1. */
  cost?(value: V): number;
  /** Why no image of a source can have it; null where images can. */
  refusal?(value: V, sourceId: number): string | null;
  /** Changes levels. With neither this nor `enhances`, it changes colours alone. */
  levels?(value: V, plane: LevelPlane): void;
  /** The colours of the levels, R, G and B of each of 256. */
  colours?(value: V, colours: Uint8Array): Uint8Array;
  /**
   * What the page does in place of `levels`: code with the function that `name` names, of the levels of the image and of the one that it is
   * compared with, from 0 to 1. The service applies an operation on levels that has neither this nor tables.
   */
  readonly shader?: { readonly code: string; name(value: V): string };
  /** Whether it replaces each level by one that depends on it and on the distance from the Sun alone: by a table of each image. */
  hasTables?(value: V): boolean;
  /** Text after the name of a layer, and one in the caption of the page alone. */
  title?(value: V): string;
  mark?(value: V): string;
  /** Text after the time of an image in the watermark. */
  suffix?(value: V): string;
}

type GroupParameter = Extract<PictureParameter, { readonly type: 'text' }>;

interface Grouped<V, N extends string, All extends string>
  extends Pick<
    LayerOperation<V, N>,
    'enhances' | 'hasTables' | 'cost' | 'refusal' | 'levels' | 'colours' | 'title' | 'mark' | 'suffix'
  > {
  /** Its parameter of a single image too. */
  readonly name: N;
  /** Parameter of the layers of a picture. */
  readonly all: All;
  readonly description: string;
  /** The expectation in an error sentence, and an example of a group without its brackets. */
  readonly what: string;
  readonly example: string;
  /** Words that a misspelled group may stand for. */
  readonly words?: readonly string[];
  readonly version?: number;
  /** The value of the elements of a group; null for other elements, undefined for a value that changes nothing. */
  parse(elements: readonly string[]): V | null | undefined;
  /** The elements of a group. */
  print(value: V): readonly (string | number)[];
}

/** An operation whose value is a group: `range=20,200,1.4` for an image, `ranges=[20,200,1.4],[]` for layers. */
export function groupedOperation<V, const N extends string, const All extends string>(record: Grouped<V, N, All>) {
  const { name, all, what, example, words = [], parse, print, description, version = 1, ...rest } = record;
  // A function, because the pages are bundled without the example.
  const notation = () => ({
    parameter: all,
    example: `[${example}],[]`,
    elements: example.split(',').length,
    maxCharacters: RECIPE_LIMITS.layersCharacters,
  });
  const groupIn = (elements: readonly string[], parameter: string, given: string): V | undefined => {
    const value = elements.join('').trim() === '' ? undefined : parse(elements.map((element) => element.trim()));
    if (value !== null) return value;
    const nearest = nearestWord(elements.join(), words);
    throw badParameter(parameter, what, given, nearest === null ? undefined : { value: nearest });
  };
  return {
    ...rest,
    name,
    version,
    isGrey: false,
    parameters: { [name]: { type: 'text', what, example, description } } as { readonly [K in N]: GroupParameter },
    read: (parameters: { readonly [K in N]?: string | undefined }) => {
      const given = parameters[name] ?? '';
      return groupIn(given.replace(/^\s*\[(.*)\]\s*$/, '$1').split(','), name, given);
    },
    print: (value: V) => ({ [name]: print(value).join(',') }),
    ofLayers: {
      parameters: {
        [all]: {
          type: 'text',
          what,
          example: notation().example,
          description: `${description} A group for each layer, also for hidden ones; [] for none.`,
        },
      } as { readonly [K in All]: GroupParameter },
      read: (parameters: { readonly [K in All]?: string | undefined }, count: number, refuse: (failure: Error) => undefined) => {
        const given = parameters[all] ?? '';
        const attempt = <T>(read: () => T): T | undefined => {
          try {
            return read();
          } catch (error) {
            return refuse(error as Error);
          }
        };
        const listed = attempt(() => bracketGroups(given, notation())) ?? [];
        if (listed.length > count) refuse(badParameter(all, `at most ${count} groups, one for each of layers,`, given));
        return Array.from({ length: count }, (_, i) => attempt(() => groupIn(listed[i] ?? [], all, given)));
      },
      print: (values: readonly (V | undefined)[]) =>
        values.every((value) => value === undefined)
          ? {}
          : { [all]: values.map((value) => `[${value === undefined ? '' : print(value).join(',')}]`).join(',') },
    },
  } satisfies LayerOperation<V, N>;
}
