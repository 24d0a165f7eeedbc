// What becomes of wrangler.toml when it is deployed from build/.

/** Stands in wrangler.toml for the local copy of the database. */
const LOCAL_DATABASE_ID = /(?<=^database_id = ")0[0-]*(?="$)/m;
/** Paths are relative to the file that they stand in. */
const RELATIVE_PATHS = /(?<=^(?:main|migrations_dir|directory|image|image_build_context) = ")(?!\/)/gm;
/** The block of the containers, up to the next one. */
const CONTAINERS = /^\[\[containers\]\]\n(?:(?!\[).*\n)*/m;
const MOVIE_CONTAINERS = /(?<=^MOVIE_CONTAINERS = ")\d+(?="$)/m;

export interface DeployedConfigOptions {
  readonly databaseId: string;
  /** Leaves out the containers. Their class stays, which the Worker exports and earlier deployments may have used. */
  readonly withoutMovies: boolean;
}

/** wrangler.toml for the folder build/, with the real database. */
export function deployedConfig(toml: string, { databaseId, withoutMovies }: DeployedConfigOptions): string {
  const text = toml.replace(LOCAL_DATABASE_ID, databaseId).replace(RELATIVE_PATHS, '../');
  return withoutMovies ? text.replace(CONTAINERS, '').replace(MOVIE_CONTAINERS, '0') : text;
}
