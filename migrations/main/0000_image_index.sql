CREATE TABLE `images` (
	`source_id` integer NOT NULL,
	`taken_at_ms` integer NOT NULL,
	`id` integer NOT NULL,
	`file_name` text NOT NULL,
	`folder` text NOT NULL,
	`byte_length` integer NOT NULL,
	`sha256` text NOT NULL,
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
	`sun_center_offset_params` text,
	PRIMARY KEY(`source_id`, `taken_at_ms`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `images_id` ON `images` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `images_file_name` ON `images` (`file_name`);--> statement-breakpoint
CREATE TABLE `sequences` (
	`shard` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `uploads` (
	`key` text PRIMARY KEY NOT NULL,
	`file_name` text NOT NULL,
	`touched_at_ms` integer NOT NULL,
	`sweeping` integer DEFAULT false NOT NULL
);
