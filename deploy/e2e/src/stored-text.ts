import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/**
 * Resolves with the tables of a database that store a text, in the clear or as bytes, and the files of a
 * folder that do.
 */
export async function placesOf(
  text: string,
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
): Promise<string[]> {
  const places = await Promise.all([tablesWith(text, databaseUrl), filesWith(text, folder)]);
  return places.flat().toSorted();
}

async function tablesWith(text: string, databaseUrl: string): Promise<string[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const { rows } = await database.query<{ name: string }>(`
      SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information_schema)'`);
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await database.query(
        `SELECT 1 FROM ${name} AS row WHERE row::text LIKE '%' || $1 || '%'
          OR row::text LIKE '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%' LIMIT 1`,
        [text],
      );
      if (rowCount !== 0) found.push(name);
    }
    return found;
  } finally {
    await database.end();
  }
}

async function filesWith(text: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // The gateway may remove it meanwhile.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (bytes.includes(text)) found.push(path);
  }
  return found;
}
