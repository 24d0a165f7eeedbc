CREATE TABLE `movie_parts` (
	`build_id` integer NOT NULL,
	`name` text NOT NULL,
	`output` text NOT NULL,
	`from_frame` integer NOT NULL,
	`to_frame` integer NOT NULL,
	PRIMARY KEY(`build_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `movie_uploads` (
	`build_id` integer NOT NULL,
	`name` text NOT NULL,
	`lease` text NOT NULL,
	`upload_id` text NOT NULL,
	`pieces` text NOT NULL,
	PRIMARY KEY(`build_id`, `name`)
);
