import { z } from "zod";
import type { ProviderKind } from "../provider-kind.ts";

export const projectName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.:-]{0,62}$/, "must be the id or the number of a project");

/** Where a provider is. */
interface Address {
  base_url?: string | undefined;
  base_url_env?: string | undefined;
  region?: string | undefined;
  project?: string | undefined;
}

/** Whether an entry has one address, or none where its kind has one. */
export function hasOneAddress(
  { base_url, base_url_env }: Address,
  { defaultBaseUrl }: ProviderKind,
): boolean {
  if (base_url === undefined && base_url_env === undefined) return defaultBaseUrl !== undefined;
  return base_url === undefined || base_url_env === undefined;
}

/**
 * Returns what is wrong with the region or the project of an entry; undefined for nothing. `regional` are the kinds
 * with regions, for a sentence.
 */
export function placeProblem(
  entry: Address,
  kind: ProviderKind,
  regional: string,
): { path: string[]; message: string } | undefined {
  const region = regionProblem(entry.region, kind, regional);
  if (region !== undefined) return { path: ["region"], message: region };
  const project = projectProblem(entry, kind);
  return project === undefined ? undefined : { path: ["project"], message: project };
}

function regionProblem(
  region: string | undefined,
  { name, regions }: ProviderKind,
  regional: string,
): string | undefined {
  if (regions === undefined) {
    return region === undefined
      ? undefined
      : `must not be set: only providers of ${regional} are in regions`;
  }
  if (region === undefined) {
    return `must be set for a provider of the kind ${name}, for instance ${regions.example}`;
  }
  if (regions.name.test(region)) return undefined;
  return `must be the name of ${regions.described}, such as ${regions.example}`;
}

function projectProblem(
  { project, base_url, base_url_env }: Address,
  { name, hasProjects }: ProviderKind,
): string | undefined {
  if (!hasProjects && project !== undefined) return `must not be set: the kind ${name} has none`;
  const isPlaced = (base_url ?? base_url_env) !== undefined;
  if (!hasProjects || project !== undefined || isPlaced) return undefined;
  return `must be set for a provider of the kind ${name} without an address`;
}
