import { GatewayError } from "@tollgate/core/errors";
import { createTurns } from "@tollgate/core/turns";
import type { Statement } from "@tollgate/proto/tollgate/v1/statement";
import { drawStatement } from "./statement-pdf.ts";

/** How many statements may wait to be drawn, each for some seconds at most. */
const maxWaiting = 20;

/** Resolves with the PDF of a statement. */
export type StatementDrawing = (statement: Statement) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Returns a function that draws one statement at a time. While a statement of an account is drawn or waits, another
 * one of the same account is refused with `rate_limited`, and so is any while 20 wait.
 */
export function createStatementDrawing(
  draw: StatementDrawing = (statement) => drawStatement(statement),
): StatementDrawing {
  const inTurn = createTurns(
    maxWaiting,
    "Too many statements are drawn at the same time. Retry in a moment.",
  );
  const accounts = new Set<string>();

  return async (statement) => {
    const { accountId } = statement;
    if (accounts.has(accountId)) {
      const message = "Another statement of this account is being drawn. Retry in a moment.";
      throw new GatewayError("rate_limited", message, { retryAfterSeconds: 1 });
    }
    accounts.add(accountId);
    try {
      return await inTurn(() => draw(statement));
    } finally {
      accounts.delete(accountId);
    }
  };
}
