CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` integer NOT NULL,
	`type` text NOT NULL,
	`items` integer NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	`tried_at_ms` integer,
	`status` integer,
	`sentence` text
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook_id`,`state`,`due_at_ms`);--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`pin` text NOT NULL,
	`item` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_events_key_unique` ON `webhook_events` (`key`);--> statement-breakpoint
CREATE INDEX `webhook_events_at` ON `webhook_events` (`at_ms`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`address` text NOT NULL,
	`sources` text NOT NULL,
	`event_types` text NOT NULL,
	`origin` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`paused_at_ms` integer,
	`failing_since_ms` integer,
	`received_at_ms` integer,
	`sentence` text,
	`cursors` text NOT NULL
);
