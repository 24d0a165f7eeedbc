// Takes over the image index of a state folder from before images had databases of their own.
import { DatabaseSync } from 'node:sqlite';
import { shardOfFileName, shardOfSource } from '../../domain/shards.ts';

/** Whether the main database has an image index that is not empty. */
export function hasEarlierImages(mainFile: string): boolean {
  try {
    const database = new DatabaseSync(mainFile, { readOnly: true });
    try {
      return database.prepare('SELECT 1 FROM images LIMIT 1').get() !== undefined;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

const GEOMETRY = `scale_arcsec_per_pixel, scale_correction, width, height, ref_pixel_x, ref_pixel_y, offset_x, offset_y, rotation_degrees,
  rsun_pixels, dsun_metres, layering_order, sun_center_offset_params`;
const WITHDRAWN = 'id, source_id, taken_at_ms, file_name, folder, withdrawn_at_ms';

/** Copies the images, with their ids, from the main database to a migrated image database, and then empties the main one. */
export function takeEarlierImages(mainFile: string, imagesFile: string): void {
  const database = new DatabaseSync(imagesFile);
  try {
    database.exec('ATTACH ? AS earlier'.replace('?', `'${mainFile.replaceAll("'", "''")}'`));
    const tables = database.prepare("SELECT name FROM earlier.sqlite_schema WHERE type = 'table'").all();
    const hasWithdrawn = tables.some(({ name }) => name === 'withdrawn_images');
    database.exec(`BEGIN;
      INSERT INTO main.images (id, source_id, taken_at_ms, file_name, folder, byte_length, sha256, ${GEOMETRY})
        SELECT id, source_id, taken_at_ms, file_name, folder, byte_length, unhex(sha256), ${GEOMETRY} FROM earlier.images;
      ${hasWithdrawn ? `INSERT INTO main.withdrawn_images (${WITHDRAWN}) SELECT ${WITHDRAWN} FROM earlier.withdrawn_images;` : ''}
      UPDATE main.held_shards SET last_sequence = last FROM earlier.sequences AS sequence WHERE sequence.shard = held_shards.shard;`);
    const list = database.prepare('INSERT OR IGNORE INTO main.foreign_names VALUES (?, ?)');
    for (const { file_name: name, source_id: sourceId } of database
      .prepare('SELECT file_name, source_id FROM main.images')
      .all()) {
      if (shardOfFileName(String(name)) !== shardOfSource(Number(sourceId))) list.run(name!, sourceId!);
    }
    database.exec('COMMIT; DELETE FROM earlier.images; DETACH earlier');
  } finally {
    database.close();
  }
}
