import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { SecretsKey } from "@tollgate/core/secrets-key";
import type { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import type { SecretValues } from "@tollgate/upstream/secret-values";
import { OpenedSecrets } from "./opened-secrets.ts";

/**
 * How often the secrets are read where no notice arrives. A changed value is in use after this and the time of a
 * call: less than the two seconds that operators are promised.
 */
const defaultPollMs = 1_000;
/** How often the use of secrets is reported. */
const reportMs = 60_000;
const timeoutMs = 5_000;

export interface SecretSync {
  values: SecretValues;
  /** Resolves once the secrets were read for the first time. */
  firstRead: Promise<void>;
  /** Reads the secrets now if one of these names has no value. Rejects if billing cannot be reached. */
  refresh(names: Iterable<string>): Promise<void>;
  stop(): void;
}

export interface SecretSyncParts {
  secrets: Client<typeof SecretService>;
  /** Undefined where `TOLLGATE_SECRETS_KEY` is not set: no secret has a value then. */
  key: SecretsKey | undefined;
  /** After a notice that a secret has changed, the secrets are read at once. */
  notices: Pick<Notices, "subscribe" | "onMissed">;
  log: Log;
  /** Default: a second. */
  pollMs?: number;
  /** Called with the name of a secret whose value has changed, or was set or removed. */
  onChange(name: string): void;
}

/**
 * Reads the stored secrets when a notice says that one has changed, and every second, since a notice may be
 * lost. While billing cannot be reached, the last values stay in use.
 */
export function syncSecrets(parts: SecretSyncParts): SecretSync {
  const { secrets, notices, log, pollMs = defaultPollMs, onChange } = parts;
  const opened = new OpenedSecrets(parts.key, log);
  let reportedAt = performance.now();
  let isReachable = true;
  const firstRead = Promise.withResolvers<void>();

  async function sync(): Promise<void> {
    const isReport = performance.now() - reportedAt >= reportMs;
    const used = isReport ? opened.takeUsed() : [];
    if (isReport) reportedAt = performance.now();
    const { version, secrets: found } = await secrets.readSecrets(
      { knownVersion: opened.version, used },
      { timeoutMs },
    );
    opened.forgetReplaced();
    if (version === opened.version) return;
    for (const name of opened.replaceAll(version, found)) onChange(name);
  }

  async function run(): Promise<void> {
    try {
      await sync();
      isReachable = true;
      firstRead.resolve();
    } catch (error) {
      const reason = (error as Error).message;
      if (isReachable) log.warn({ reason }, "reading stored secrets failed and will be retried");
      isReachable = false;
    }
  }

  const repeating = repeat(run, { everyMs: pollMs });
  notices.subscribe("secret.changed", () => repeating.wake());
  notices.onMissed(() => repeating.wake());
  repeating.wake();
  return {
    values: opened,
    firstRead: firstRead.promise,
    async refresh(names) {
      if ([...names].some((name) => opened.problemOf(name) !== undefined)) await sync();
    },
    stop: () => void repeating.stop(),
  };
}
