import type { Slot } from "@tollgate/catalog/model";

/** Where a slot takes jobs. */
export function jobsPathOf({ path, jobsPath }: Slot): string {
  return jobsPath ?? withSegment(path, "jobs");
}

/** Where a slot tells of one job. */
export function jobPathOf(slot: Slot, jobId: string): string {
  return withSegment(jobsPathOf(slot), encodeURIComponent(jobId));
}

/** Adds a segment to a path, in front of its query. */
function withSegment(path: string, segment: string): string {
  const [bare = "", ...query] = path.split("?");
  const all = `${bare.replace(/\/$/, "")}/${segment}`;
  return query.length === 0 ? all : `${all}?${query.join("?")}`;
}
