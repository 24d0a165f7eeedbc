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
CREATE INDEX `video_shares_checked` ON `video_shares` (`status`,`checked_at_ms`);--> statement-breakpoint
CREATE INDEX `video_shares_session` ON `video_shares` (`session`);