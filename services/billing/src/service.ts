import { PrismaPg } from "@prisma/adapter-pg";
import type { Log } from "@tollgate/core/log";
import { readProxySettings } from "@tollgate/core/proxy-settings";
import { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { vendors } from "@tollgate/providers";
import { createClient } from "@tollgate/rpc/client";
import {
  bindOperatorService,
  bindService,
  type ServiceBinding,
} from "@tollgate/rpc/implementation";
import { createLocalTransport, type LocalTransport } from "@tollgate/rpc/local-transport";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService } from "@tollgate/runtime/service";
import { localActor } from "./actor.ts";
import { implementCatalog } from "./catalog/sync.ts";
import { readBillingConfig } from "./config.ts";
import { PrismaClient } from "./generated/client.ts";
import { implementIdentity } from "./identity/identity.ts";
import { createPasswords } from "./identity/passwords.ts";
import { recordKeyUses } from "./key-uses.ts";
import { implementLookups } from "./lookups.ts";
import { readSignUpSettings } from "./members/sign-up-settings.ts";
import { implementOperator } from "./operator/operator.ts";
import { connectProviderServices } from "./operator/provider-services.ts";
import { TestRate } from "./operator/test-rate.ts";
import { implementPaymentService } from "./payments/payment-service.ts";
import { openStripe } from "./payments/stripe-client.ts";
import { billingSchema } from "./schema.ts";
import { implementSecretReads } from "./secrets/read-secrets.ts";
import { readSendingSettings, startSending } from "./sending.ts";
import { createStatementDrawing } from "./statements/statement-drawing.ts";
import { startTasks } from "./tasks.ts";

/** Accounts and keys, and the operator's commands. */
export const billing = defineService({
  name: "billing",
  async setup({ env, migrates, log, peer, notices, openCatalog, now }) {
    const config = readBillingConfig(env);
    const sendingSettings = readSendingSettings(env);
    const signUp = readSignUpSettings(env, {
      sendsMail: sendingSettings.mail !== undefined,
      takesCards: config.stripe !== undefined,
    });
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: billingSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "billing" }) });
    const { mailing, webhooks, sealer, stop } = startSending(sendingSettings, { prisma, log, now });
    const ledger = peer("ledger", LedgerService);
    const credits = peer("ledger", CreditService);
    const keyUses = recordKeyUses(pool, log, now);
    const lookups = bindService(
      BillingService,
      implementLookups({
        ...{ pool, ledger, admission: config.admission, keyUses, now },
        contentKey: config.contentKey,
      }),
    );
    const catalogs = bindService(CatalogService, implementCatalog(prisma));
    const client = createClient(CatalogService, localTransportOf(catalogs, log));
    const catalog = await openCatalog({ kinds: vendors, client });
    const slots = peer("ledger", SlotService);
    const conversations = peer("chat", ConversationService);
    const { secretsKey, contentKey, contentBytes, statementIssuer, refusalDays } = config;
    const stripe = config.stripe && (await openStripe(config.stripe, readProxySettings(env)));
    const payment = { prisma, ledger, credits, sealer, access: stripe, log, now };
    const tasks = startTasks({
      ...{ ...payment, slots, mailing, webhooks, refusalDays, contentBytes },
      issuer: statementIssuer,
    });
    const { warnings, contentDeletion } = tasks;
    const parts = {
      ...{ contentKey, contentDeletion, warnings },
      ...{ prisma, ledger, credits, slots, conversations, notices, mailing, webhooks, now },
      ...{ stripe, statementIssuer, secretsKey, sealer, refusalDays, signUp },
      ...{ catalog: catalog.current, catalogFile: catalog.file, autoTopUps: tasks.autoTopUps },
      ...{ services: connectProviderServices(peer), testRate: new TestRate(now) },
      drawStatement: createStatementDrawing(),
    };
    const commands = bindOperatorService(
      OperatorService,
      implementOperator({ ...parts, actor: localActor }),
    );
    const passwords = createPasswords(config.passwordCost);
    const identity = bindOperatorService(
      IdentityService,
      implementIdentity({ ...parts, passwords, factorPolicy: config.factorPolicy }),
    );
    const secrets = bindService(SecretService, implementSecretReads(pool, now));
    const payments = bindOperatorService(PaymentService, implementPaymentService(payment));
    return {
      bindings: [lookups, catalogs, commands, identity, secrets, payments],
      async stop() {
        await tasks.stop();
        await keyUses.stop();
        await stop();
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});

/** Returns a transport to a service of this process, which calls itself like any other. */
function localTransportOf(binding: ServiceBinding, log: Log): LocalTransport {
  const transport = createLocalTransport(log);
  transport.add(binding);
  return transport;
}
