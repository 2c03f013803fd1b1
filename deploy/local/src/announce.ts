import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Started, welcomeText } from "./welcome.ts";

/** Where the text goes: the standard output. */
export interface ProgramOutput {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Prints what was started. The key and the sign-in link are printed to a terminal only. Without
 * one, the output may be a log that others read: they are written to a file in the data folder that
 * only its owner can read, and its path is printed.
 */
export async function announce(
  started: Started,
  dataFolder: string,
  output: ProgramOutput,
): Promise<void> {
  const { url, key, signInUrl } = started;
  const hasSecret = key !== undefined || signInUrl !== undefined;
  if (output.isTTY || !hasSecret) {
    output.write(welcomeText(started));
    return;
  }
  const file = join(dataFolder, "welcome.txt");
  // An existing file would keep its permissions.
  await rm(file, { force: true });
  await writeFile(file, welcomeText(started), { mode: 0o600, flag: "wx" });
  output.write(`
Tollgate listens at ${url}/v1
Key and sign-in link: ${file}   (only you can read it)
Press Ctrl-C to stop. Wallets and keys are preserved.
`);
}
