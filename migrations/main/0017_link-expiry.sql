ALTER TABLE `short_links` ADD `characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `short_links` ADD `used_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `short_links_created` ON `short_links` (`created_at_ms`,`characters`);--> statement-breakpoint
CREATE INDEX `short_links_used` ON `short_links` (`used_at_ms`);--> statement-breakpoint
UPDATE `short_links` SET `characters` = length(`address`), `used_at_ms` = `created_at_ms`;
