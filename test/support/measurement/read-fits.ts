// The units of a FITS file: cards as text, keywords as values, and the bytes behind the header.
export type FitsUnit = ReturnType<typeof readFits>[number];

export function readFits(file: Uint8Array) {
  const bytes = Buffer.from(file);
  const units: { cards: string[]; keywords: Readonly<Record<string, string | number>>; data: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const cards: string[] = [];
    for (; !cards.at(-1)?.startsWith('END '); at += 80) cards.push(bytes.toString('latin1', at, at + 80));
    at = Math.ceil(at / 2880) * 2880;
    const keywords = Object.fromEntries(
      cards.flatMap((card) => {
        const [, name, text, number] = /^([\w-]+) *= +(?:'([^']*)'|([-+.\dE]+))/.exec(card) ?? [];
        return name === undefined ? [] : [[name, text?.trimEnd() ?? Number(number)] as const];
      }),
    );
    const axes = Array.from({ length: Number(keywords.NAXIS) }, (_, i) => Number(keywords[`NAXIS${i + 1}`]));
    const length = axes.length === 0 ? 0 : axes.reduce((product, axis) => product * axis, Math.abs(Number(keywords.BITPIX)) / 8);
    units.push({ cards: cards.slice(0, -1).map((card) => card.trimEnd()), keywords, data: bytes.subarray(at, at + length) });
    at = Math.ceil((at + length) / 2880) * 2880;
  }
  return units;
}

/** The rows of a binary table of int64, float64 and text, with null for what is not there. */
export function fitsRows({ keywords, data }: FitsUnit): Record<string, string | number | null>[] {
  const numbers = { D: (at: number) => data.readDoubleBE(at), K: (at: number) => Number(data.readBigInt64BE(at)) };
  const rowBytes = Number(keywords.NAXIS1);
  return Array.from({ length: Number(keywords.NAXIS2) }, (_, row) => {
    let at = row * rowBytes;
    const values = Array.from({ length: Number(keywords.TFIELDS) }, (__, i) => {
      const form = String(keywords[`TFORM${i + 1}`]);
      const width = Number.parseInt(form, 10) || 8;
      const text = data.toString('latin1', at, at + width).replace(/\0+$/, '');
      const value = form === 'D' || form === 'K' ? numbers[form](at) : text;
      at += width;
      const isAbsent = value === '' || Number.isNaN(value) || value === keywords[`TNULL${i + 1}`];
      return [String(keywords[`TTYPE${i + 1}`]), isAbsent ? null : value] as const;
    });
    return Object.fromEntries(values);
  });
}

/** The shape and the values of an NPY file of float32 or bytes. */
export function readNpy(file: Uint8Array): { readonly shape: readonly number[]; readonly values: readonly number[] } {
  const bytes = Buffer.from(file);
  const start = 10 + bytes.readUInt16LE(8);
  const [, type, shape] = /'descr': '(.*)', 'fortran_order': False, 'shape': \(([\d, ]+)\)/.exec(
    bytes.toString('latin1', 10, start),
  )!;
  const data = bytes.subarray(start);
  const values = type === '|u1' ? [...data] : Array.from({ length: data.length / 4 }, (_, i) => data.readFloatLE(4 * i));
  return { shape: shape!.split(',').map(Number), values };
}
