// Tables: rows of named values, which encoders write as JSON, JSON lines, CSV, VOTable or FITS.

/** A column. A time is text in ISO 8601, a link an address; numbers are whole or float. */
export interface Column {
  readonly name: string;
  /** Unset: text. */
  readonly type?: 'text' | 'time' | 'link' | 'whole' | 'float';
  readonly unit?: string;
}

/** Lists of numbers are separated by blanks in CSV. */
export type Cell = string | number | null | readonly (number | null)[];

/** Values by name, the same names in the same order for each row of a table. */
export type TableRow = Readonly<Record<string, Cell>>;

/** Rows in pages, and what follows the last one, such as where the next list begins. */
export type TablePages = AsyncGenerator<readonly TableRow[], TableRow>;

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Members of JSON before the rows. Unset: none. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Called when the table is sent. */
  pages(): TablePages;
}
