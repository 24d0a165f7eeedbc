-- Images have databases of their own. Fails while this database still has some, so that none is lost.
CREATE TABLE `images_left` (
	`count` integer CONSTRAINT `no_images_may_be_left_in_the_main_database` CHECK (`count` = 0)
);
--> statement-breakpoint
INSERT INTO `images_left` SELECT count(*) FROM (SELECT 1 FROM `images` LIMIT 1);--> statement-breakpoint
DROP TABLE `images_left`;--> statement-breakpoint
DROP TABLE `images`;--> statement-breakpoint
DROP TABLE `sequences`;--> statement-breakpoint
DROP TABLE `withdrawn_images`;
