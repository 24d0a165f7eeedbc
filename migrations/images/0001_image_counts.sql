CREATE TABLE `image_counts` (
	`source_id` integer NOT NULL,
	`width_ms` integer NOT NULL,
	`start_ms` integer NOT NULL,
	`images` integer NOT NULL,
	`bytes` integer,
	`checksum` integer,
	PRIMARY KEY(`source_id`, `width_ms`, `start_ms`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO image_counts (source_id, width_ms, start_ms, images)
  SELECT source_id, 300000, CAST(taken_at_ms / 300000 AS INTEGER) * 300000 AS bin, count(*) FROM images GROUP BY source_id, bin;
--> statement-breakpoint
INSERT INTO image_counts (source_id, width_ms, start_ms, images)
  SELECT source_id, 3600000, start_ms / 3600000 * 3600000 AS bin, sum(images) FROM image_counts GROUP BY source_id, bin;
--> statement-breakpoint
INSERT INTO image_counts (source_id, width_ms, start_ms, images, bytes, checksum)
  SELECT source_id, 86400000, CAST(taken_at_ms / 86400000 AS INTEGER) * 86400000 AS bin, count(*), sum(byte_length),
    sum(('0x' || hex(substr(sha256, 1, 5))) ->> '$') % 1099511627776
  FROM images GROUP BY source_id, bin;
--> statement-breakpoint
CREATE TRIGGER images_counted AFTER INSERT ON images BEGIN
  INSERT INTO image_counts (source_id, width_ms, start_ms, images, bytes, checksum) VALUES
    (NEW.source_id, 300000, CAST(NEW.taken_at_ms / 300000 AS INTEGER) * 300000, 1, NULL, NULL),
    (NEW.source_id, 3600000, CAST(NEW.taken_at_ms / 3600000 AS INTEGER) * 3600000, 1, NULL, NULL),
    (NEW.source_id, 86400000, CAST(NEW.taken_at_ms / 86400000 AS INTEGER) * 86400000, 1, NEW.byte_length,
      ('0x' || hex(substr(NEW.sha256, 1, 5))) ->> '$')
  ON CONFLICT (source_id, width_ms, start_ms) DO UPDATE SET images = images + 1, bytes = bytes + excluded.bytes,
    checksum = (checksum + excluded.checksum) % 1099511627776;
END;
--> statement-breakpoint
CREATE TRIGGER images_discounted AFTER DELETE ON images BEGIN
  UPDATE image_counts SET images = images - 1, bytes = bytes - OLD.byte_length,
    checksum = (checksum + 1099511627776 - (('0x' || hex(substr(OLD.sha256, 1, 5))) ->> '$')) % 1099511627776
  WHERE source_id = OLD.source_id AND (width_ms, start_ms) IN (VALUES
    (300000, CAST(OLD.taken_at_ms / 300000 AS INTEGER) * 300000),
    (3600000, CAST(OLD.taken_at_ms / 3600000 AS INTEGER) * 3600000),
    (86400000, CAST(OLD.taken_at_ms / 86400000 AS INTEGER) * 86400000));
  DELETE FROM image_counts WHERE images = 0 AND source_id = OLD.source_id AND (width_ms, start_ms) IN (VALUES
    (300000, CAST(OLD.taken_at_ms / 300000 AS INTEGER) * 300000),
    (3600000, CAST(OLD.taken_at_ms / 3600000 AS INTEGER) * 3600000),
    (86400000, CAST(OLD.taken_at_ms / 86400000 AS INTEGER) * 86400000));
END;
