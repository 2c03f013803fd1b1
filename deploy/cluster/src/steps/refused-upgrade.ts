import { CommandError } from "../programs.ts";
import type { Release } from "../release.ts";
import type { Values } from "../values.ts";

/**
 * Returns the sentence with which an upgrade with these values is refused: the line of the output that
 * contains `expected`. Throws if the upgrade is accepted.
 */
export async function upgradeRefusal(
  release: Release,
  values: Values,
  expected: string,
): Promise<string> {
  try {
    await release.deploy(values);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const line = error.output.split("\n").find((text) => text.includes(expected));
    if (line === undefined) throw error;
    const sentence = line.replace(/^.*error calling fail: /, "").trim();
    return sentence.slice(0, 160);
  }
  throw new Error(`an upgrade with ${JSON.stringify(values)} was accepted`);
}
