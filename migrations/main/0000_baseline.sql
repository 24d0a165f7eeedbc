CREATE TABLE `charges` (
	`budget` text NOT NULL,
	`client` text NOT NULL,
	`hour` integer NOT NULL,
	`amount` real NOT NULL,
	PRIMARY KEY(`budget`, `client`, `hour`)
);
--> statement-breakpoint
CREATE INDEX `charges_hour` ON `charges` (`hour`);--> statement-breakpoint
CREATE TABLE `movie_arrivals` (
	`id` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL,
	`virtual_time` real DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `movie_builds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`generation` integer NOT NULL,
	`recipe` text NOT NULL,
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
	`turn` real DEFAULT 0 NOT NULL,
	`client` text DEFAULT '' NOT NULL,
	`queued_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	`lease` text,
	`lease_until_ms` integer,
	`worker` text,
	`attempts` integer NOT NULL,
	`expiries` integer DEFAULT 0 NOT NULL,
	`frames_done` integer NOT NULL,
	`frames_skipped` integer NOT NULL,
	`events_missing` text DEFAULT '[]' NOT NULL,
	`stage` text,
	`error` text,
	`files` text NOT NULL,
	`build_seconds` real,
	`used_at_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `movie_builds_used` ON `movie_builds` (`used_at_ms`);--> statement-breakpoint
CREATE INDEX `movie_builds_queued` ON `movie_builds` (`queued_at_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `movie_builds_key` ON `movie_builds` (`key`,`generation`);--> statement-breakpoint
CREATE INDEX `movie_builds_queue` ON `movie_builds` (`status`,`arrival`);--> statement-breakpoint
CREATE INDEX `movie_builds_turn` ON `movie_builds` (`status`,`turn`,`arrival`,`cost`);--> statement-breakpoint
CREATE INDEX `movie_builds_client` ON `movie_builds` (`client`,`status`,`turn`,`cost`);--> statement-breakpoint
CREATE TABLE `movie_charges` (
	`client` text NOT NULL,
	`at_ms` integer NOT NULL,
	`cost` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `movie_charges_client` ON `movie_charges` (`client`,`at_ms`);--> statement-breakpoint
CREATE INDEX `movie_charges_age` ON `movie_charges` (`at_ms`);--> statement-breakpoint
CREATE TABLE `movie_parts` (
	`build_id` integer NOT NULL,
	`name` text NOT NULL,
	`output` text NOT NULL,
	`from_frame` integer NOT NULL,
	`to_frame` integer NOT NULL,
	PRIMARY KEY(`build_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `movie_uploads` (
	`build_id` integer NOT NULL,
	`name` text NOT NULL,
	`lease` text NOT NULL,
	`upload_id` text NOT NULL,
	`pieces` text NOT NULL,
	PRIMARY KEY(`build_id`, `name`)
);
--> statement-breakpoint
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
	`cost` real NOT NULL,
	`used_at_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `movies_build` ON `movies` (`build_id`);--> statement-breakpoint
CREATE INDEX `movies_client` ON `movies` (`client`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `movies_used` ON `movies` (`used_at_ms`);--> statement-breakpoint
CREATE TABLE `screenshots` (
	`id` integer PRIMARY KEY NOT NULL,
	`created_at_ms` integer NOT NULL,
	`recipe` text NOT NULL,
	`images` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `screenshots_created` ON `screenshots` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `client_states` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`used_at_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `client_states_key_unique` ON `client_states` (`key`);--> statement-breakpoint
CREATE INDEX `client_states_used` ON `client_states` (`used_at_ms`);--> statement-breakpoint
CREATE TABLE `short_links` (
	`key` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`used_at_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `short_links_used` ON `short_links` (`used_at_ms`);--> statement-breakpoint
CREATE TABLE `video_authorisations` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`session` text NOT NULL,
	`movie_id` text NOT NULL,
	`details` text NOT NULL,
	`sealed_verifier` text NOT NULL,
	`expires_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `video_authorisations_expiry` ON `video_authorisations` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `video_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`sealed_grant` text
);
--> statement-breakpoint
CREATE INDEX `video_sessions_expiry` ON `video_sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `video_shares` (
	`movie_id` text PRIMARY KEY NOT NULL,
	`session` text NOT NULL,
	`sealed_grant` text,
	`details` text NOT NULL,
	`facts` text NOT NULL,
	`is_shared` integer NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`status` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	`lease` text,
	`attempts` integer NOT NULL,
	`sent_bytes` integer NOT NULL,
	`file_key` text,
	`file_size` integer NOT NULL,
	`sealed_address` text,
	`reason` text,
	`video_id` text,
	`published_at_ms` integer,
	`checked_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `video_shares_queue` ON `video_shares` (`status`,`due_at_ms`);--> statement-breakpoint
CREATE INDEX `video_shares_published` ON `video_shares` (`status`,`is_shared`,`published_at_ms`);--> statement-breakpoint
CREATE INDEX `video_shares_checked` ON `video_shares` (`status`,`checked_at_ms`);