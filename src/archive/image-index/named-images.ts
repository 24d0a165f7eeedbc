// Searches of the image index by file name. A regular name is searched by its source and time, another one as text.
import { getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { parseRegularFileName } from '../../sun/catalogue/archive-name.ts';
import { foreignNames, images, type withdrawnImages } from './image-tables.ts';

/** Condition on the rows of a table that have one of the file names: searches of two indexes. */
export function isNamed(table: typeof images | typeof withdrawnImages, fileNames: readonly string[]): SQL {
  const regular = fileNames.flatMap((name) => parseRegularFileName(name) ?? []);
  const places = JSON.stringify(regular.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]));
  const texts = JSON.stringify(fileNames);
  return or(
    sql`${table.fileName} IN (SELECT value FROM json_each(${texts}))`,
    sql`(${table.sourceId}, ${table.takenAtMs}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${places})) AND ${table.fileName} IS NULL`,
  )!;
}

export const imagesNamed = (db: DrizzleD1Database, fileNames: readonly string[]) =>
  db.select(getTableColumns(images)).from(images).where(isNamed(images, fileNames));

/** Sources outside of the shard of the name that have, or had, an image of this name. */
export const foreignSourcesOf = (db: DrizzleD1Database, fileName: string) =>
  db.select({ sourceId: foreignNames.sourceId }).from(foreignNames).where(sql`${foreignNames.fileName} = ${fileName}`);
