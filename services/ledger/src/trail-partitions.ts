import type pg from "pg";

/**
 * Creates the partitions of trails for today and the next two days, by the database's clock, and drops
 * those of days that ended more than `storedDays` ago. Idempotent; every replica may run it at the same
 * time.
 */
export async function createTrailPartitions(pool: pg.Pool, storedDays: number): Promise<void> {
  await pool.query({
    name: "create-trail-partitions",
    text: "SELECT create_trail_partitions($1)",
    values: [storedDays],
  });
}
