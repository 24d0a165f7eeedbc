ALTER TABLE `screenshots` ADD `client` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `screenshots` ADD `pixels` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `screenshots` ADD `bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `screenshots_client` ON `screenshots` (`client`,`created_at_ms`,`pixels`,`bytes`);