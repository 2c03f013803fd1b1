import { publishCatalog } from "../publish-catalog.ts";
import type { Release } from "../release.ts";
import { catalog } from "../values.ts";
import { retry } from "../wait-for.ts";
import { type ClusterStep, type Context, underLoad, usualLoad } from "./step.ts";

/** How long the pods may take to see a ConfigMap that was changed. */
const fileSeconds = 180;

/** A catalog with one more model is published under load, and the one before it again. */
export const publishing: ClusterStep = {
  name: "publish",
  async run(context) {
    const { options, release } = context;
    const added = "published-meanwhile";
    const [first] = catalog.models;
    const more = { ...catalog, models: [...catalog.models, { ...first, alias: added }] };
    const finding = await underLoad(context, usualLoad(context), async () => {
      await publish(context, more);
      await retry("the model is listed", fileSeconds, () => expectListed(release, added, true));
      await publish(context, catalog);
      await retry("the model is listed no longer", fileSeconds, () =>
        expectListed(release, added, false),
      );
    });
    return { ...finding, note: `catalog in the ${options.catalog}` };
  },
};

async function publish({ options, release }: Context, next: object): Promise<void> {
  if (options.catalog === "database") await publishCatalog(release, next);
  else await release.deploy({ catalog: { content: next } });
}

async function expectListed(release: Release, alias: string, isListed: boolean): Promise<void> {
  const found = (await release.tollgate(["model", "list"])).includes(alias);
  if (found !== isListed) throw new Error(`${alias} is ${found ? "" : "not "}listed`);
}
