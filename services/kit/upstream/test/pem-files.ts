import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Writes PEM texts to files of a folder that is removed after the test. Returns their paths. */
export async function writePems<Name extends string>(texts: Record<Name, string>) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-pem-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const paths = {} as Record<Name, string>;
  for (const name of Object.keys(texts) as Name[]) {
    paths[name] = join(folder, `${name}.pem`);
    await writeFile(paths[name], texts[name]);
  }
  return paths;
}
