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
CREATE INDEX `withdrawn_images_file_name` ON `withdrawn_images` (`file_name`) WHERE `file_name` IS NOT NULL;