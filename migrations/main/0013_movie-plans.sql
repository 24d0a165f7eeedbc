DROP INDEX `movie_builds_turn`;--> statement-breakpoint
CREATE INDEX `movie_builds_client` ON `movie_builds` (`client`,`status`,`turn`,`cost`);--> statement-breakpoint
CREATE INDEX `movie_builds_turn` ON `movie_builds` (`status`,`turn`,`arrival`,`cost`);--> statement-breakpoint
ALTER TABLE `movie_builds` DROP COLUMN `frames`;