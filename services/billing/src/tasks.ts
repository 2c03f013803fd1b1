import type { Repeating } from "@tollgate/core/repeat";
import { repeatContentDeletion } from "./contents/delete-contents.ts";
import { watchBalances } from "./payments/auto-top-up/watch-balances.ts";
import { reconcilePayments } from "./payments/reconcile.ts";
import type { StripeAccess } from "./payments/stripe-client.ts";
import type { EventParts } from "./payments/stripe-events.ts";
import { repeatRefusalDeletion } from "./refusals/stored-refusals.ts";
import { repeatStatements } from "./statements/issue-statements.ts";
import { type WarningParts, watchWarnings } from "./warnings/check-warnings.ts";

interface TaskParts extends Omit<EventParts, "access">, WarningParts {
  /** Undefined where nothing is paid by card. */
  access: StripeAccess | undefined;
  /** Who issues statements. Undefined where none are issued. */
  issuer: readonly string[] | undefined;
  refusalDays: number;
  contentBytes: number;
}

interface Tasks {
  /** Checks the rules of warnings. */
  warnings: Repeating;
  /** Compares balances with the thresholds of automatic top-ups. Undefined where nothing is paid by card. */
  autoTopUps: Repeating | undefined;
  contentDeletion: Repeating;
  stop(): Promise<void>;
}

/** Begins what billing does without being called. Returns what a call may wake, and what ends it all. */
export function startTasks(parts: TaskParts): Tasks {
  const { access, issuer, refusalDays, contentBytes } = parts;
  const warnings = watchWarnings(parts);
  const autoTopUps = access && watchBalances({ ...parts, access });
  const contentDeletion = repeatContentDeletion({ ...parts, maxBytes: contentBytes });
  const tasks = [
    warnings,
    autoTopUps,
    contentDeletion,
    repeatRefusalDeletion(parts, refusalDays),
    issuer && repeatStatements({ ...parts, issuer }),
    access && reconcilePayments({ ...parts, access }),
  ];
  return {
    warnings,
    contentDeletion,
    autoTopUps,
    async stop() {
      for (const task of tasks) await task?.stop();
    },
  };
}
