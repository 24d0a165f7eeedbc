CREATE TABLE `foreign_names` (
	`file_name` text NOT NULL,
	`source_id` integer NOT NULL,
	PRIMARY KEY(`file_name`, `source_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `held_shards` (
	`shard` integer PRIMARY KEY NOT NULL,
	`generation` integer NOT NULL,
	`state` text NOT NULL,
	`last_sequence` integer NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `images` (
	`id` integer PRIMARY KEY NOT NULL,
	`source_id` integer NOT NULL,
	`taken_at_ms` integer NOT NULL,
	`file_name` text,
	`folder` text,
	`byte_length` integer NOT NULL,
	`sha256` blob NOT NULL,
	`scale_arcsec_per_pixel` real NOT NULL,
	`scale_correction` real NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`ref_pixel_x` real NOT NULL,
	`ref_pixel_y` real NOT NULL,
	`offset_x` real NOT NULL,
	`offset_y` real NOT NULL,
	`rotation_degrees` real NOT NULL,
	`rsun_pixels` real NOT NULL,
	`dsun_metres` real NOT NULL,
	`layering_order` integer NOT NULL,
	`sun_center_offset_params` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `images_time` ON `images` (`source_id`,`taken_at_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `images_file_name` ON `images` (`file_name`) WHERE `file_name` IS NOT NULL;--> statement-breakpoint
CREATE TABLE `withdrawn_images` (
	`id` integer PRIMARY KEY NOT NULL,
	`source_id` integer NOT NULL,
	`taken_at_ms` integer NOT NULL,
	`file_name` text,
	`folder` text,
	`withdrawn_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `withdrawn_images_time` ON `withdrawn_images` (`source_id`,`taken_at_ms`);--> statement-breakpoint
CREATE INDEX `withdrawn_images_file_name` ON `withdrawn_images` (`file_name`) WHERE `file_name` IS NOT NULL;--> statement-breakpoint
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
