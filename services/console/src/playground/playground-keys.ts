import type { Actor, IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import type { Client } from "@tollgate/rpc/implementation";

/**
 * A text works for 40 minutes, and the longest response takes 30. What an operator changes of the bounds of
 * an account applies after this time.
 */
const reuseMs = 5 * 60_000;
/** Persons with a playground at the same time. */
const maxTexts = 10_000;

/** The keys of the playgrounds. Their texts are in memory alone: no page ever gets one. */
export interface PlaygroundKeys {
  /** Resolves with a key of a person's playground in an account. Throws what billing refuses. */
  find(actor: Actor, account: string): Promise<string>;
  /** Makes the next `find` issue another text, for instance where a text is revoked. */
  forget(actor: Actor, account: string): void;
}

interface IssuedText {
  key: Promise<string>;
  reusedUntilMs: number;
}

export function createPlaygroundKeys(
  identities: Pick<Client<typeof IdentityService>, "issuePlaygroundKey">,
  { dailyBudgetNanoUsd, nowMs }: { dailyBudgetNanoUsd: bigint; nowMs(): number },
): PlaygroundKeys {
  /** In the order in which they were issued. */
  const texts = new Map<string, IssuedText>();

  async function issue(actor: Actor, account: string): Promise<string> {
    return (await identities.issuePlaygroundKey({ actor, account, dailyBudgetNanoUsd })).key;
  }

  return {
    find(actor, account) {
      const name = nameOf(actor, account);
      const known = texts.get(name);
      if (known !== undefined && nowMs() < known.reusedUntilMs) return known.key;
      const issued = { key: issue(actor, account), reusedUntilMs: nowMs() + reuseMs };
      texts.delete(name);
      texts.set(name, issued);
      const [oldest] = texts.keys();
      if (texts.size > maxTexts && oldest !== undefined) texts.delete(oldest);
      issued.key.catch(() => {
        if (texts.get(name) === issued) texts.delete(name);
      });
      return issued.key;
    },
    forget(actor, account) {
      texts.delete(nameOf(actor, account));
    },
  };
}

function nameOf({ kind, id }: Actor, account: string): string {
  return JSON.stringify([kind, id, account]);
}
