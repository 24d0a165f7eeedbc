CREATE TABLE `short_links` (
	`key` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
