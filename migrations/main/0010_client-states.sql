CREATE TABLE `client_states` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `client_states_key_unique` ON `client_states` (`key`);