CREATE TABLE `movie_charges` (
	`client` text NOT NULL,
	`at_ms` integer NOT NULL,
	`cost` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `movie_charges_client` ON `movie_charges` (`client`,`at_ms`);--> statement-breakpoint
CREATE INDEX `movie_charges_age` ON `movie_charges` (`at_ms`);