CREATE TABLE `movie_arrivals` (
	`id` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `movie_builds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`generation` integer NOT NULL,
	`recipe` text NOT NULL,
	`frames` text NOT NULL,
	`frame_count` integer NOT NULL,
	`layer_count` integer NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`frame_rate` real NOT NULL,
	`first_frame_ms` integer NOT NULL,
	`last_frame_ms` integer NOT NULL,
	`cost` real NOT NULL,
	`status` integer NOT NULL,
	`status_mp4` integer NOT NULL,
	`status_webm` integer NOT NULL,
	`arrival` integer NOT NULL,
	`queued_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	`lease` text,
	`lease_until_ms` integer,
	`worker` text,
	`attempts` integer NOT NULL,
	`frames_done` integer NOT NULL,
	`frames_skipped` integer NOT NULL,
	`stage` text,
	`error` text,
	`files` text NOT NULL,
	`build_seconds` real
);
--> statement-breakpoint
CREATE UNIQUE INDEX `movie_builds_key` ON `movie_builds` (`key`,`generation`);--> statement-breakpoint
CREATE INDEX `movie_builds_queue` ON `movie_builds` (`status`,`arrival`);--> statement-breakpoint
CREATE TABLE `movie_workers` (
	`name` text PRIMARY KEY NOT NULL,
	`seen_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `movies` (
	`id` text PRIMARY KEY NOT NULL,
	`build_id` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`token` text NOT NULL,
	`request` text NOT NULL,
	`client` text NOT NULL,
	`cost` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `movies_build` ON `movies` (`build_id`);--> statement-breakpoint
CREATE INDEX `movies_client` ON `movies` (`client`,`created_at_ms`);