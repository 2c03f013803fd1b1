import { readFile } from "node:fs/promises";
import { getDMMF } from "@prisma/internals";

/** A column, as the database and a Prisma schema describe it. */
export interface SchemaColumn {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

/** Returns the columns of a `schema.prisma`, sorted. */
export async function columnsOfSchema(file: URL): Promise<SchemaColumn[]> {
  const { datamodel } = await getDMMF({ datamodel: await readFile(file, "utf8") });
  const columns = datamodel.models.flatMap((model) =>
    model.fields
      .filter((field) => field.kind === "scalar")
      .map((field) => ({
        table: model.dbName ?? model.name,
        column: field.dbName ?? field.name,
        type: typeOf(field),
        nullable: !field.isRequired,
      })),
  );
  return columns.sort(byName);
}

function typeOf({ type, isList, nativeType }: Field): string {
  if (isList) return "ARRAY";
  return nativeType?.[0] === "Date" ? "date" : (postgresTypes[type] ?? type);
}

interface Field {
  type: string;
  isList: boolean;
  /** The name of the type of a `@db` attribute, and its arguments. */
  nativeType?: readonly [string, readonly string[]] | null;
}

/** Compares two columns by table, then by name. */
export function byName(left: SchemaColumn, right: SchemaColumn): number {
  return `${left.table}.${left.column}` < `${right.table}.${right.column}` ? -1 : 1;
}

const postgresTypes: Readonly<Record<string, string>> = {
  String: "text",
  BigInt: "bigint",
  Decimal: "numeric",
  Int: "integer",
  Boolean: "boolean",
  Bytes: "bytea",
  Json: "json",
  DateTime: "timestamp with time zone",
};
