import { invalidParam } from "@tollgate/core/errors";
import { Prisma } from "./generated/client.ts";

/** How a list is ordered, a page at a time. */
export interface ListOrder {
  /** What its rows are ordered by, before their ids. */
  value: Prisma.Sql;
  /** Compares a row with the last one of the page before. */
  after: Prisma.Sql;
  direction: Prisma.Sql;
}

export const ascending = { after: Prisma.sql`>`, direction: Prisma.sql`ASC` };
export const descending = { after: Prisma.sql`<`, direction: Prisma.sql`DESC` };

const longest = 200;

/**
 * Returns the pattern of LIKE for texts that contain what somebody searches for. Throws `invalid_param`
 * where that is too long.
 */
export function containing(search: string): string {
  if (search.length > longest) {
    throw invalidParam("search", `must have at most ${longest} characters`);
  }
  return `%${search.replace(/[\\%_]/g, "\\$&")}%`;
}
