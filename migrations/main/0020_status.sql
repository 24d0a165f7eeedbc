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
