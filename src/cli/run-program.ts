/**
 * Runs the main function of a command. A number that it returns is the exit status, otherwise 0. An error ends the command with its
 * message on standard error and status 1.
 */
export async function runProgram(main: () => Promise<unknown>): Promise<void> {
  try {
    const status = await main();
    process.exitCode = typeof status === 'number' ? status : 0;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
