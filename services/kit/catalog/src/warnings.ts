import type { Catalog } from "./model.ts";

/** Returns one line for each model whose holds may be too small for what it leaves out. */
export function catalogWarnings({ models }: Catalog): string[] {
  return [...models.values()].flatMap(({ alias, vision, imageTokens }, index) => {
    if (!vision || imageTokens !== undefined) return [];
    const problem = "takes images and has no image_tokens: 1200 are held for each image";
    return [`models[${index}] (${alias}): ${problem}`];
  });
}
