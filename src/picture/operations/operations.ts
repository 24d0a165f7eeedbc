// The operations on layers, in the order in which they are applied.
import { badParameter, type Failure } from '../../platform/util/errors.ts';
import { GREY_PALETTE } from '../colours.ts';
import type { ParametersOf, Parametrised } from '../parameter.ts';
import { BLEND } from './blend.ts';
import { DIFFERENCE } from './difference.ts';
import { FILTER, STEADY } from './filter.ts';
import { GREY } from './grey.ts';
import type { LayerOperation, LevelPlane } from './operation.ts';
import { RANGE } from './range.ts';
import { TINT } from './tint.ts';

export const OPERATIONS = [STEADY, FILTER, DIFFERENCE, RANGE, TINT, GREY, BLEND] as const;

type Known = (typeof OPERATIONS)[number];
type LayerRecord = Exclude<Known['ofLayers'], null>;

/** The operations of a layer by their names; absent ones do nothing. */
export type Operations = { readonly [R in Known as R['name']]?: ReturnType<R['read']> };

/** Parameters of the operations on the layers of a picture. */
export type LayerParameters = ParametersOf<LayerRecord>;

/** The records of parameters of the layers of a picture. */
export const LAYER_PARAMETERS = OPERATIONS.flatMap(({ ofLayers }): LayerRecord[] => (ofLayers ? [ofLayers] : []));

const RECORDS: readonly LayerOperation[] = OPERATIONS;

const valueIn = (layer: Operations, { name }: LayerOperation): unknown => layer[name as keyof Operations];

/** The operations that a layer has, with their values. */
const present = (layer: Operations) =>
  RECORDS.flatMap((record) => {
    const value = valueIn(layer, record);
    return value === undefined ? [] : [{ record, value }];
  });

const byName = (value: (record: LayerOperation) => unknown): Operations =>
  Object.fromEntries(RECORDS.map((record) => [record.name, value(record)] as const).filter(([, value]) => value !== undefined));

/** The operations of a layer of which something is true. */
const those =
  (is: (record: LayerOperation) => boolean | undefined) =>
  (layer: Operations): Operations =>
    byName((record) => (is(record) ? valueIn(layer, record) : undefined));

/** Whether parameters say something of what has them. */
const areGiven = ({ parameters }: Parametrised, given: object): boolean =>
  Object.entries(parameters).some(([name, parameter]) => {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    return value !== undefined && !('byDefault' in parameter && parameter.byDefault === value);
  });

/** The operations of the parameters of an image. @throws Failure naming the parameter at fault */
export const operationsIn = (parameters: object): Operations =>
  byName((record) => (areGiven(record, parameters) ? record.read(parameters) : undefined));

/** The failure of an operation that no image of the source can have; null where images can have all. `isOfLayers`: of a list for layers. */
export function refusalOf(layer: Operations, sourceId: number, isOfLayers = false): Failure | null {
  for (const { record, value } of present(layer)) {
    const what = record.refusal?.(value, sourceId);
    const [name] = Object.keys((isOfLayers ? record.ofLayers : record)?.parameters ?? {});
    if (what && name) return badParameter(name, what, Object.values(record.print(value))[0]);
  }
  return null;
}

/** The operations of a layer alone. */
export const operationsOf = those(() => true);

/** Whether a layer has no operations. */
export const isPlain = (layer: Operations): boolean => present(layer).length === 0;

/** Versions of operations above the first, which keys of pictures with them contain. */
const versionsOf = (layers: readonly Operations[]): Readonly<Record<string, string>> => {
  const raised = RECORDS.filter((record) => record.version > 1 && layers.some((layer) => valueIn(layer, record) !== undefined));
  return raised.length === 0 ? {} : { operations: raised.map(({ name, version }) => `${name}-${version}`).join() };
};

/** The versions of all operations. */
export const OPERATION_VERSIONS: string = RECORDS.map(({ name, version }) => `${name}-${version}`).join('.');

/** The parameters of the operations of a layer as clients write them. */
export const operationQuery = (layer: Operations): Readonly<Record<string, string>> =>
  Object.fromEntries(
    present(layer).flatMap(({ record, value }) =>
      Object.entries(record.print(value)).map(([name, printed]) => [
        name,
        name === record.timeParameter ? new Date(printed).toISOString() : String(printed),
      ]),
    ),
  );

/** Those parameters in their canonical form, as an address has them, and what else the pixels of the operations depend on. */
export const operationKey = (layer: Operations): Readonly<Record<string, string | number>> =>
  Object.assign({}, ...present(layer).map(({ record, value }) => record.print(value)), versionsOf([layer]));

/** Layers with the operations that parameters name for each of them. `refuse`: as in a record. */
export function withOperations<L extends Operations & { readonly sourceId: number }>(
  layers: readonly L[],
  stated: object,
  refuse: (failure: Error) => undefined,
): L[] {
  const values = RECORDS.flatMap(({ name, ofLayers }) => {
    return ofLayers && areGiven(ofLayers, stated) ? [{ name, values: ofLayers.read(stated, layers.length, refuse) }] : [];
  });
  return layers.map((layer, i) => {
    const given = Object.fromEntries(values.flatMap(({ name, values }) => (values[i] === undefined ? [] : [[name, values[i]]])));
    const refused = refusalOf(given, layer.sourceId, true);
    return refused ? (refuse(refused) ?? layer) : { ...layer, ...given };
  });
}

/** The parameters by which a picture names the operations of its layers. */
export const layerParameters = (layers: readonly Operations[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...RECORDS.map((record) => record.ofLayers?.print(layers.map((layer) => valueIn(layer, record)))));

/** What canonical strings of pictures have of their operations. */
export const layerMembers = (layers: readonly Operations[]) => ({ ...layerParameters(layers), ...versionsOf(layers) });
export const LAYER_MEMBERS = LAYER_PARAMETERS.flatMap(({ parameters }) => Object.keys(parameters)).concat('operations');

/** Latest time of the image with which one taken at `takenAtMs` is compared; null for a layer that shows its image alone. */
export const referenceTime = (layer: Operations, takenAtMs: number): number | null =>
  present(layer).reduce<number | null>((atMs, { record, value }) => record.referenceMs?.(value, takenAtMs) ?? atMs, null);

/** Whether an image has to be compared with an older one. */
export const needsReference = (layer: Operations): boolean => present(layer).some(({ record }) => record.referenceMs);

/** Whether each image of a layer is changed by itself. */
export const isEnhanced = (layer: Operations): boolean => present(layer).some(({ record }) => record.enhances);

/** The operations of a layer that change each image by itself, and the others. */
export const enhancementsOf = those(({ enhances }) => enhances);
export const withoutEnhancements = those(({ enhances }) => !enhances);

/** Processor time and memory of a layer, in those of one without operations. */
export const costOf = (layer: Operations): number =>
  Math.max(1, ...present(layer).map(({ record, value }) => record.cost?.(value) ?? 1));

/** Applies the operations of a layer to its levels. */
export function applyLevels(layer: Operations, plane: LevelPlane): void {
  for (const { record, value } of present(layer)) record.levels?.(value, plane);
}

/** Whether the levels of a layer have the colours of its image. */
export const hasColours = (layer: Operations): boolean => !present(layer).some(({ record }) => record.isGrey);

/** The colours of the levels of a layer whose image has these; null for grey. */
export function coloursOf(layer: Operations, own: Uint8Array | null): Uint8Array | null {
  return present(layer).reduceRight<Uint8Array | null>(
    (colours, { record, value }) => (record.colours ? record.colours(value, colours ?? GREY_PALETTE) : colours),
    hasColours(layer) ? own : null,
  );
}

/** The function of the shader that compares the levels of a layer; null for a layer that shows those of its image. */
export const shaderOf = (layer: Operations): string | null =>
  present(layer).reduce<string | null>((name, { record, value }) => record.shader?.name(value) ?? name, null);

/** The code of the functions that `shaderOf` names. */
export const SHADER_CODE = RECORDS.map(({ shader }) => shader?.code ?? '').join('\n');

const changesLevels = ({ enhances, levels }: LayerOperation): boolean => Boolean(enhances || levels);

/** The operations of a layer on its levels, and those on its colours alone. */
export const levelOperations = those(changesLevels);
export const colourOperations = those((record) => !changesLevels(record));

/** Whether a layer has a table for each image. */
export const hasTables = (layer: Operations): boolean => present(layer).some(({ record, value }) => record.hasTables?.(value));

/** The operations that frames for the page need: those on levels, where one of them has neither a shader nor tables. */
export function frameOperations(layer: Operations): Operations {
  const levels = levelOperations(layer);
  return present(levels).every(({ record, value }) => record.shader ?? record.hasTables?.(value)) ? {} : levels;
}

/** The operations that the page applies to frames by tables. */
export const tableOperations = (layer: Operations): Operations => (isPlain(frameOperations(layer)) ? enhancementsOf(layer) : {});

const textOf =
  (word: (record: LayerOperation, value: unknown) => string | undefined) =>
  (layer: Operations): string =>
    present(layer)
      .map(({ record, value }) => word(record, value) ?? '')
      .join('');

/** Text after the name of a layer, the same in the caption of the page, and after the time of its image in the watermark. */
export const titleOf = textOf((record, value) => record.title?.(value));
export const markOf = textOf((record, value) => (record.title ?? record.mark)?.(value));
export const suffixOf = textOf((record, value) => record.suffix?.(value));
