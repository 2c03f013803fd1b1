import type { Catalog } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { PrismaClient } from "./generated/client.ts";

/** Throws `invalid_param` for a plan that the catalog does not have. An empty one is no plan. */
export function requirePlan({ plans }: Pick<Catalog, "plans">, plan: string): void {
  if (plan === "" || plans.has(plan)) return;
  const names = [...plans.keys()].join(", ");
  throw invalidParam("plan", `must be a plan of the catalog, which has ${names || "none"}`);
}

/**
 * Resolves with a warning for each plan of an account that the catalog does not have: such accounts would
 * pay the list prices.
 */
export async function missingPlanWarnings(
  prisma: PrismaClient,
  { plans }: Pick<Catalog, "plans">,
): Promise<string[]> {
  const used = await prisma.account.groupBy({
    by: ["plan"],
    where: { plan: { notIn: ["", ...plans.keys()] } },
    _count: true,
    orderBy: { plan: "asc" },
  });
  return used.map(({ plan, _count: count }) => {
    const accounts =
      count === 1 ? "1 account has it, and pays" : `${count} accounts have it, and pay`;
    return `plans: ${plan} is missing: ${accounts} the list prices`;
  });
}
