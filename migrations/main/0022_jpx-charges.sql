CREATE TABLE `jpx_charges` (
	`client` text NOT NULL,
	`at_ms` integer NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `jpx_charges_client` ON `jpx_charges` (`client`,`at_ms`,`bytes`);--> statement-breakpoint
CREATE INDEX `jpx_charges_at` ON `jpx_charges` (`at_ms`);