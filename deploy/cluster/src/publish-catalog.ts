import type { Release } from "./release.ts";

/**
 * Publishes a catalog in the database. Resolves once every process serves it. The command reads its
 * standard input, because the pods' root file systems are read-only.
 */
export async function publishCatalog(release: Release, catalog: object): Promise<void> {
  const command = ["/usr/bin/node", "cli.mjs", "catalog", "publish", "/dev/stdin"];
  const exec = ["exec", "--stdin", "deployment/tollgate-billing", "--", ...command];
  await release.kubectl([...exec, "--reason", "the cluster test"], JSON.stringify(catalog));
}
