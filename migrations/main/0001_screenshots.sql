CREATE TABLE `screenshots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at_ms` integer NOT NULL,
	`recipe` text NOT NULL,
	`images` text NOT NULL
);
