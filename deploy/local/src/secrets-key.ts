import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const keyBytes = 32;
const fileName = "secrets-key";

/**
 * Returns the key that encrypts the stored secrets of a data folder. The first call creates it, in a file
 * that only its user may read. Who copies the folder copies the key, too.
 */
export async function openSecretsKey(dataFolder: string): Promise<string> {
  const file = join(dataFolder, fileName);
  const key = randomBytes(keyBytes).toString("base64");
  try {
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return (await readFile(file, "utf8")).trim();
  }
}
