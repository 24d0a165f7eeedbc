// Headers of the frames of a JPX file (ISO/IEC 15444-2, M.11.6 and M.11.7). The JP2 header box of the first frame is the default. A
// frame with another one states the differences in its codestream header (jpch) and compositing layer header (jplh).
import type { JpxStyle } from '../../domain/jpx/file-name.ts';
import { sameBytes } from '../../util/bytes.ts';
import { box, type ChildBox, childrenOf, u16 } from './box.ts';

/** Child boxes that belong to the codestream (besides ihdr) and to the layer (besides colr). */
const CODESTREAM_BOXES = ['bpcc', 'pclr', 'cmap'];
const LAYER_BOXES = ['cdef', 'res '];

/** Offset of APPROX in a colr box, which JPX requires to be other than 0. */
const APPROX = 2;

const again = ({ type, content }: ChildBox) => box(type, content);
const isType = (type: string) => (child: ChildBox) => child.type === type;

/** Changes APPROX of a colr box from the 0 of JP2 to 1 (accurate). */
function withApproximation({ type, content }: ChildBox): ChildBox {
  if (type !== 'colr' || content[APPROX] !== 0) return { type, content };
  const changed = content.slice();
  changed[APPROX] = 1;
  return { type, content: changed };
}

function componentCount(header: readonly ChildBox[]): number {
  const ihdr = header.find(isType('ihdr'))?.content;
  return ihdr && ihdr.length >= 10 ? ((ihdr[8] as number) << 8) | (ihdr[9] as number) : 1;
}

const perComponent = (header: readonly ChildBox[], entry: (i: number) => Uint8Array) =>
  Array.from({ length: componentCount(header) }, (_, i) => entry(i));

/** Maps component i to channel i (I.5.3.5). */
const directMapping = (header: readonly ChildBox[]) =>
  box('cmap', ...perComponent(header, (i) => Uint8Array.of(...u16(i), 0, 0)));

/** Defines channel i as colour i + 1 (I.5.3.6). */
const directDefinition = (header: readonly ChildBox[]) =>
  box('cdef', u16(componentCount(header)), ...perComponent(header, (i) => Uint8Array.of(...u16(i), 0, 0, ...u16(i + 1))));

/** The JP2 header box of the file, derived from the one of its first frame. */
export function fileHeader(first: Uint8Array, style: JpxStyle): Uint8Array {
  return style === '2016' ? first : box('jp2h', ...childrenOf(first).map(withApproximation).map(again));
}

/** Headers that state everything, also where it equals the first frame. */
function fullHeaders(own: readonly ChildBox[]): Uint8Array[] {
  const of = (type: string) => own.filter(isType(type)).slice(0, 1).map(again);
  const mapping = of('cmap');
  return [
    box('jpch', ...of('ihdr'), ...of('pclr'), ...(mapping.length > 0 ? mapping : [directMapping(own)])),
    box('jplh', box('cgrp', ...of('colr'))),
  ];
}

/** Headers that state only the differences from the first frame. */
function differentHeaders(own: readonly ChildBox[], first: readonly ChildBox[]): Uint8Array[] {
  const isDifferent = (child: ChildBox) =>
    !first.some(({ type, content }) => type === child.type && sameBytes(content, child.content));
  const different = (types: readonly string[]) =>
    own
      .filter(({ type }) => types.includes(type))
      .filter(isDifferent)
      .map(again);
  const lacks = (type: string) => first.some(isType(type)) && !own.some(isType(type));
  const colours = own.filter(isType('colr'));
  const hasOwnColours = colours.some(isDifferent) || colours.length !== first.filter(isType('colr')).length;
  return [
    box(
      'jpch',
      ...own.filter(isType('ihdr')).map(again),
      ...different(CODESTREAM_BOXES),
      ...(lacks('pclr') && !own.some(isType('cmap')) ? [directMapping(own)] : []),
    ),
    box(
      'jplh',
      ...(hasOwnColours && colours.length > 0 ? [box('cgrp', ...colours.map(withApproximation).map(again))] : []),
      ...different(LAYER_BOXES),
      ...(lacks('cdef') ? [directDefinition(own)] : []),
    ),
  ];
}

/** jpch and jplh of a frame, derived from JP2 header boxes; empty when these are equal. */
export function frameHeaders(header: Uint8Array, first: Uint8Array, style: JpxStyle): Uint8Array[] {
  if (sameBytes(header, first)) return [box('jpch'), box('jplh')];
  const own = childrenOf(header);
  return style === '2016' ? fullHeaders(own) : differentHeaders(own, childrenOf(first));
}

/** Kinds of opacity channels of a JP2 header box (cdef, I.5.3.6): 1 plain, 2 premultiplied. */
export function opacityTypes(header: Uint8Array): number[] {
  const definition = childrenOf(header).find(isType('cdef'))?.content ?? new Uint8Array(0);
  const types: number[] = [];
  for (let at = 2; at + 6 <= definition.length; at += 6) types.push(definition[at + 3] as number);
  return types.filter((type) => type === 1 || type === 2);
}
