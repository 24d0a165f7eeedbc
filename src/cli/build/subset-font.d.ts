declare module 'subset-font' {
  interface Options {
    readonly targetFormat?: 'truetype';
    readonly noHinting?: boolean;
    readonly dropTables?: readonly string[];
  }
  export default function subsetFont(font: Buffer, text: string, options?: Options): Promise<Buffer>;
}
