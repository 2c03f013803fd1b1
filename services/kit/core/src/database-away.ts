/** Codes of Node, of Postgres and of Prisma for a server that cannot be reached, or whose connection broke. */
const codes: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  // The name of the server has no address now: the server moves, or the name server is away.
  ...["ENOTFOUND", "EAI_AGAIN"],
  // admin_shutdown, crash_shutdown, cannot_connect_now and read_only_sql_transaction.
  ...["57P01", "57P02", "57P03", "25006"],
  ...["P1001", "P1002", "P1008", "P1017", "P2024"],
]);
const kinds: ReadonlySet<string> = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
]);
/** What the driver says without a code. */
const words = /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/;

interface Failure {
  code?: unknown;
  /** Of Prisma: what its driver says. */
  meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
}

/** Returns whether a query failed because its database cannot be reached, which a retry may find again. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as Error & Failure;
  const { kind = "", originalCode = "" } = meta?.driverAdapterError?.cause ?? {};
  return (
    (typeof code === "string" && codes.has(code)) ||
    kinds.has(kind) ||
    codes.has(originalCode) ||
    words.test(error.message)
  );
}
