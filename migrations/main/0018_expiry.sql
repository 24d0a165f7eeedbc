ALTER TABLE `movie_builds` ADD `used_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `movie_builds_used` ON `movie_builds` (`used_at_ms`);--> statement-breakpoint
ALTER TABLE `movies` ADD `used_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `movies_used` ON `movies` (`used_at_ms`);--> statement-breakpoint
ALTER TABLE `client_states` ADD `bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `client_states` ADD `used_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `client_states_created` ON `client_states` (`created_at_ms`,`bytes`);--> statement-breakpoint
CREATE INDEX `client_states_used` ON `client_states` (`used_at_ms`);--> statement-breakpoint
UPDATE `movie_builds` SET `used_at_ms` = unixepoch() * 1000;--> statement-breakpoint
UPDATE `movies` SET `used_at_ms` = unixepoch() * 1000;--> statement-breakpoint
UPDATE `client_states` SET `used_at_ms` = unixepoch() * 1000;
