/** Takes one record per thing that somebody may want to know. */
export type Log = (record: Readonly<Record<string, unknown>>) => void;

/** Does a job whose failure is logged and keeps no other from its turn. What it gives is logged where it is a count of things done. */
export async function attempt(name: string, job: () => Promise<unknown>, log: Log): Promise<void> {
  try {
    const did = await job();
    if (typeof did === 'number' && did > 0) log({ job: name, did });
  } catch (error) {
    log({ job: name, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
