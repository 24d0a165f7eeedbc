/** Difference of wavelengths of one line, as 193 and 195, in angstroms. */
const LINE_WIDTH = 5;

/** Whether the names of two measurements, the last levels of their sources, are wavelengths of one line; false without a name. */
export const areOfOneLine = (a?: string, b?: string): boolean => Math.abs(Number(a) - Number(b)) <= LINE_WIDTH;
