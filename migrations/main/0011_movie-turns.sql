ALTER TABLE `movie_arrivals` ADD `virtual_time` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `movie_builds` ADD `turn` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `movie_builds` ADD `client` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `movie_builds_turn` ON `movie_builds` (`status`,`turn`,`arrival`);