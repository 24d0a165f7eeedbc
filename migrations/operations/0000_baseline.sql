CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`operator` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`image_id` integer
);
--> statement-breakpoint
CREATE TABLE `rhessi_flares` (
	`id` integer PRIMARY KEY NOT NULL,
	`start_ms` integer NOT NULL,
	`peak_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`peak_rate` real,
	`total_counts` real,
	`x_arcsec` real NOT NULL,
	`y_arcsec` real NOT NULL,
	`high_band` text NOT NULL,
	`dsun` text NOT NULL,
	`ntime` text NOT NULL,
	`nen` text NOT NULL,
	`link` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rhessi_flares_time` ON `rhessi_flares` (`start_ms`,`end_ms`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`key` text PRIMARY KEY NOT NULL,
	`file_name` text NOT NULL,
	`touched_at_ms` integer NOT NULL,
	`sweeping` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
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
CREATE INDEX `mirror_refusals_at` ON `mirror_refusals` (`at_ms`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `heartbeats` (
	`name` text PRIMARY KEY NOT NULL,
	`ok_at_ms` integer,
	`tried_at_ms` integer NOT NULL,
	`failures` integer NOT NULL,
	`sentence` text
);
--> statement-breakpoint
CREATE TABLE `status_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`subject` text NOT NULL,
	`before` text NOT NULL,
	`state` text NOT NULL,
	`sentence` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `status_states` (
	`subject` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`since_ms` integer NOT NULL,
	`sentence` text NOT NULL
);
