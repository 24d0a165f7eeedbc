CREATE TABLE `rhessi_flares` (
	`id` integer PRIMARY KEY NOT NULL,
	`start_ms` integer NOT NULL,
	`peak_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`peak_rate` real,
	`total_counts` real,
	`x_arcsec` real NOT NULL,
	`y_arcsec` real NOT NULL,
	`high_band` text NOT NULL,
	`dsun` text NOT NULL,
	`ntime` text NOT NULL,
	`nen` text NOT NULL,
	`link` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rhessi_flares_time` ON `rhessi_flares` (`start_ms`,`end_ms`);