DROP INDEX `video_shares_session`;--> statement-breakpoint
ALTER TABLE `video_shares` ADD `sealed_grant` text;