import { hostname } from "node:os";
import { type Environment, readSettings } from "@tollgate/core/config";
import { newId } from "@tollgate/core/ids";
import { z } from "zod";
import { followRevisions } from "./catalog-follower.ts";
import type { CatalogOrigin, CatalogUser, OriginParts, SharedCatalog } from "./catalog-origin.ts";
import { openCatalogFile } from "./file-catalog.ts";

/** The catalog of a process. */
export interface ProcessCatalog {
  /**
   * Resolves with the catalog, after billing has returned it if it is in the database. Rejects with a
   * StartError for a file that is not valid, or that `user` refuses.
   */
  open(service: string, user: CatalogUser): Promise<SharedCatalog>;
  stop(): Promise<void>;
}

type ProcessParts = Pick<OriginParts, "notices" | "log" | "metrics" | "readiness">;

/**
 * Creates the catalog that the services `names` of a process share: the file that `TOLLGATE_CATALOG`
 * names, or without it the revisions in the database.
 */
export function createProcessCatalog(
  names: readonly string[],
  env: Environment,
  parts: ProcessParts,
): ProcessCatalog {
  const settings = readSettings(settingsSchema, env);
  const { TOLLGATE_CATALOG: file, TOLLGATE_CATALOG_COPY: copy } = settings;
  const users = new Map<string, CatalogUser>();
  let origin: Promise<CatalogOrigin> | undefined;

  function openOrigin({ kinds, client }: CatalogUser): Promise<CatalogOrigin> {
    const originParts: OriginParts = {
      ...{ ...parts, kinds, client },
      identity: { processId: newId("process"), name: nameOf(names, env) },
      here: new Set(names),
      services: () => [...users.keys()],
      async check(catalog) {
        for (const { check } of users.values()) await check?.(catalog);
      },
      async checkRevision(catalog) {
        for (const { check, checkRevision } of users.values()) {
          await check?.(catalog);
          await checkRevision?.(catalog);
        }
      },
    };
    return file === undefined
      ? followRevisions(originParts, copy)
      : openCatalogFile(file, originParts);
  }

  return {
    async open(service, user) {
      users.set(service, user);
      const isFirst = origin === undefined;
      origin ??= openOrigin(user);
      const opened = await origin;
      if (!isFirst) await opened.recheck();
      return opened;
    },
    async stop() {
      await (await origin?.catch(() => undefined))?.stop();
    },
  };
}

/** Returns the name of a process for operators. It is the same after a restart. */
function nameOf(names: readonly string[], env: Environment): string {
  const own = names.length === 1 ? names[0] : "all";
  const port = /:([1-9]\d*)$/.exec(env.TOLLGATE_LISTEN ?? "")?.[1];
  return `${own}@${hostname()}${port === undefined ? `#${process.pid}` : `:${port}`}`;
}

const settingsSchema = z.object({
  TOLLGATE_CATALOG: z.string().optional(),
  TOLLGATE_CATALOG_COPY: z.string().optional(),
});
