CREATE TABLE `mirror_pages` (
	`page` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mirror_pages_at` ON `mirror_pages` (`at_ms`);--> statement-breakpoint
CREATE TABLE `mirror_refusals` (
	`file_name` text PRIMARY KEY NOT NULL,
	`source_id` integer NOT NULL,
	`reason` text NOT NULL,
	`sentence` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mirror_sources` (
	`scope` text PRIMARY KEY NOT NULL,
	`upstream` text NOT NULL,
	`source_id` integer NOT NULL,
	`from_ms` integer NOT NULL,
	`cursor_ms` integer,
	`due_at_ms` integer NOT NULL,
	`leased_until_ms` integer DEFAULT 0 NOT NULL,
	`tried_at_ms` integer,
	`ok_at_ms` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`sentence` text,
	`added` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mirror_sources_due` ON `mirror_sources` (`due_at_ms`);--> statement-breakpoint
CREATE TABLE `mirror_spans` (
	`scope` text NOT NULL,
	`from_ms` integer NOT NULL,
	`to_ms` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	`sentence` text NOT NULL,
	PRIMARY KEY(`scope`, `from_ms`, `to_ms`)
);
