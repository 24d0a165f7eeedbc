CREATE TABLE `withdrawals` (
	`key` text PRIMARY KEY NOT NULL,
	`file_name` text NOT NULL,
	`sha256` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `withdrawals_name` ON `withdrawals` (`file_name`);--> statement-breakpoint
CREATE INDEX `withdrawals_content` ON `withdrawals` (`sha256`);