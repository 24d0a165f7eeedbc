CREATE TABLE `event_counts` (
	`feed` text NOT NULL,
	`width` text NOT NULL,
	`start_ms` integer NOT NULL,
	`pin` text NOT NULL,
	`type` text NOT NULL,
	`method` text NOT NULL,
	`continuing` integer NOT NULL,
	`begun` integer NOT NULL,
	PRIMARY KEY(`feed`, `width`, `pin`, `start_ms`, `type`, `method`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_spans` (
	`feed` text NOT NULL,
	`width` text NOT NULL,
	`start_ms` integer NOT NULL,
	`days` integer NOT NULL,
	`counted_at_ms` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	PRIMARY KEY(`feed`, `width`, `start_ms`)
) WITHOUT ROWID;
