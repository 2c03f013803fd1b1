import type { Slot } from "@tollgate/catalog/model";

/** Returns the path at which a slot creates jobs. */
export function jobsPathOf({ path, jobsPath }: Slot): string {
  return jobsPath ?? withSegment(path, "jobs");
}

/** Returns the path of one job at a slot. */
export function jobPathOf(slot: Slot, jobId: string): string {
  return withSegment(jobsPathOf(slot), encodeURIComponent(jobId));
}

/** Adds a segment to a path, before its query. */
function withSegment(path: string, segment: string): string {
  const [bare = "", ...query] = path.split("?");
  const all = `${bare.replace(/\/$/, "")}/${segment}`;
  return query.length === 0 ? all : `${all}?${query.join("?")}`;
}
