import { PrismaPg } from "@prisma/adapter-pg";
import { watchCatalog } from "@tollgate/catalog/watch";
import { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { vendors } from "@tollgate/providers";
import { bindOperatorService, bindService } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService } from "@tollgate/runtime/service";
import { localActor } from "./actor.ts";
import { admissions } from "./admission.ts";
import { readBillingConfig } from "./config.ts";
import { readAvailable, readCredits } from "./credits.ts";
import { PrismaClient } from "./generated/client.ts";
import { implementIdentity } from "./identity/identity.ts";
import { createKeyLookup, findEndedKeys } from "./key-lookup.ts";
import { implementOperator } from "./operator/operator.ts";
import { implementPaymentService } from "./payments/payment-service.ts";
import { reconcilePayments } from "./payments/reconcile.ts";
import { openStripe } from "./payments/stripe-client.ts";
import { recordRefusals } from "./refusals.ts";
import { billingSchema } from "./schema.ts";
import { implementSecretReads } from "./secrets/read-secrets.ts";
import { lookUpSettlement } from "./settlement.ts";

/** Accounts and keys, and the operator's commands. */
export const billing = defineService({
  name: "billing",
  async setup({ env, migrates, log, peer, notices, now }) {
    const config = readBillingConfig(env);
    const catalog = await watchCatalog(config.catalogFile, vendors, log);
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: billingSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "billing" }) });
    const ledger = peer("ledger", LedgerService);
    const findKey = createKeyLookup(pool, admissions[config.admission], now);
    const lookups = bindService(BillingService, {
      findKey: ({ keyHash }) => findKey(keyHash),
      findEndedKeys: async ({ keyHashes }) => ({
        keys: await findEndedKeys(pool, keyHashes, now()),
      }),
      getAvailable: ({ accountId }) => readAvailable(ledger, accountId),
      getCredits: ({ accountId }) => readCredits(ledger, accountId, now()),
      async recordRefusals({ refusals }) {
        await recordRefusals(pool, refusals);
        return {};
      },
      lookUpSettlement: async ({ accountId, requestIds }) => ({
        requests: await lookUpSettlement(ledger, accountId, requestIds),
      }),
    });
    const slots = peer("ledger", SlotService);
    const conversations = peer("chat", ConversationService);
    const stripe = config.stripe && (await openStripe(config.stripe));
    const reads = { ledger, slots, conversations, stripe, catalog: catalog.current };
    const { secretsKey } = config;
    const parts = { prisma, ...reads, secretsKey, notices, now };
    const commands = bindOperatorService(
      OperatorService,
      implementOperator({ ...parts, actor: localActor }),
    );
    const identity = bindOperatorService(IdentityService, implementIdentity(parts));
    const secrets = bindService(SecretService, implementSecretReads(pool, now));
    const payments = bindOperatorService(
      PaymentService,
      implementPaymentService({ prisma, ledger, access: stripe, log, now }),
    );
    const reconciling = stripe && reconcilePayments({ prisma, ledger, access: stripe, log, now });
    return {
      bindings: [lookups, commands, identity, secrets, payments],
      async stop() {
        await reconciling?.stop();
        catalog.close();
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});
