CREATE TABLE `withdrawn_images` (
	`id` integer PRIMARY KEY NOT NULL,
	`source_id` integer NOT NULL,
	`taken_at_ms` integer NOT NULL,
	`file_name` text NOT NULL,
	`folder` text NOT NULL,
	`withdrawn_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `withdrawn_images_file_name` ON `withdrawn_images` (`file_name`);