ALTER TABLE `movie_builds` ADD `expiries` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `movie_builds_queued` ON `movie_builds` (`queued_at_ms`);--> statement-breakpoint
CREATE INDEX `mirror_refusals_at` ON `mirror_refusals` (`at_ms`);