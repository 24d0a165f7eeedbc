CREATE TABLE `mirror_files` (
	`file_name` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`source_id` integer NOT NULL,
	`address` text NOT NULL,
	`at_ms` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mirror_files_due` ON `mirror_files` (`due_at_ms`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dead_letters_id_unique` ON `dead_letters` (`id`);--> statement-breakpoint
ALTER TABLE `heartbeats` ADD `leased_until_ms` integer DEFAULT 0 NOT NULL;