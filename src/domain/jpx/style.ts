/**
 * How a JPX file is written. `standard`: as ISO/IEC 15444-2 wants it, with the metadata of a frame right behind it. `2016`: as
 * the first tools of the solar community wrote it, for programs that know nothing else.
 */
export type JpxStyle = 'standard' | '2016';

export const JPX_STYLES: readonly JpxStyle[] = ['standard', '2016'];
