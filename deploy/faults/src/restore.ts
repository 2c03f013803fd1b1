import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectOperator } from "@tollgate/local/operator";
import { usageConsumerName, usageStream } from "@tollgate/metering/broker/usage-stream";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import { connect } from "nats";
import { agentTurn, chatKeyed, chatStream, chatWorkload } from "./chat-workloads.ts";
import { clusterSecrets, startCluster } from "./cluster.ts";
import { createCustomers } from "./customers.ts";
import { startObservedLoad } from "./observed-load.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";
import type { RestorableDatabase } from "./restorable-databases.ts";
import { judgeLedger, waitForSettlement } from "./settlement.ts";
import { rerankWorkload, speechWorkload } from "./specialty-workloads.ts";

/** Those that store nothing in Postgres alone, as OCR jobs do: that is lost with the database. */
const workloads = [
  ...[chatWorkload, chatStream, chatKeyed, agentTurn],
  ...[rerankWorkload, speechWorkload],
].map((run) => ({ run }));

const clients = 6;
/** How many requests are complete in each part, and after the backup. */
const complete = 60;
/** Streams that have begun end meanwhile. */
const awayMs = 6_000;
const creditUsd = 1_000;
const topUpNanoUsd = 1_000_000_000n;

export interface Restored {
  violations: string[];
  /** Whether the top-ups before and after the backup were credited when they were repeated. */
  credited: { before: boolean; after: boolean };
  /** How far the wallet is from its top-ups less its charges. */
  walletErrorNanoUsd: bigint;
}

/**
 * Loses the database of a gateway under load and restores an earlier moment of it, as the documentation says: the
 * ledger reads the stream of usage events from its start, and top-ups are repeated. The broker is away while there is
 * no database, so that events wait in the spools.
 */
export async function restoreEarlier(
  start: (folder: string, programs: PostgresPrograms) => Promise<RestorableDatabase>,
  programs: PostgresPrograms,
): Promise<Restored> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-restore-"));
  await chmod(folder, 0o711);
  const database = await start(folder, programs);
  const settings = { TOLLGATE_HOLD_SECONDS: "30", TOLLGATE_MISSING_AFTER_SECONDS: "3" };
  const cluster = await startCluster(settings, 1, { database });
  const { client: operator, close } = connectOperator(cluster.fleet.billingAddress, clusterSecrets);
  try {
    const customers = await createCustomers(operator, [creditUsd]);
    const account = customers[0]?.accountId ?? "";
    const topUp = (reference: string) =>
      operator.topUpWallet({ account, amountNanoUsd: topUpNanoUsd, reference });
    const load = startObservedLoad(cluster, customers, clients, workloads);
    await topUp("before");
    await load.untilComplete("before", complete);
    await database.backUp();
    await topUp("after");
    await load.untilComplete("before", load.parts.before.length + complete);
    await database.lose();
    load.enter("during");
    const startBroker = await cluster.endBroker("SIGKILL");
    await sleep(awayMs);
    await startBroker();
    await database.restore();
    await readStreamAgain(cluster.natsUrl);
    load.enter("after");
    await load.untilComplete("after", complete);
    const observations = await load.stop();
    const credited = {
      before: (await topUp("before")).credited,
      after: (await topUp("after")).credited,
    };
    const problems = await waitForSettlement(operator, cluster, observations);
    const { violations, chargedNanoUsd } = await judgeLedger(cluster, observations);
    const { wallet } = await operator.readWallet({ account });
    const credit = BigInt(creditUsd) * 1_000_000_000n + 2n * topUpNanoUsd;
    const walletErrorNanoUsd = (wallet?.balanceNanoUsd ?? 0n) - (credit - chargedNanoUsd);
    return { violations: [...problems, ...violations], credited, walletErrorNanoUsd };
  } finally {
    close();
    await cluster.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes the consumer of usage events, which the ledger creates again. */
async function readStreamAgain(natsUrl: string): Promise<void> {
  const connection = await connect(natsAddress(natsUrl));
  try {
    const manager = await connection.jetstreamManager();
    await manager.consumers.delete(usageStream.name, usageConsumerName);
  } finally {
    await connection.close();
  }
}
