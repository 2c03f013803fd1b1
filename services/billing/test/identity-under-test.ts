import { createHash } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { createClient } from "@tollgate/rpc/client";
import { bindService, type Client } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { localNotices } from "@tollgate/runtime/broker/notices";
import type pg from "pg";
import { localActor } from "../src/actor.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import type { FactorPolicy } from "../src/identity/factor-policy.ts";
import { implementIdentity } from "../src/identity/identity.ts";
import { createPasswords } from "../src/identity/passwords.ts";
import type { SignUpSettings } from "../src/members/sign-up-settings.ts";
import { implementOperator } from "../src/operator/operator.ts";
import type { OperatorParts } from "../src/operator/parts.ts";
import type { ProviderServices } from "../src/operator/provider-services.ts";
import { TestRate } from "../src/operator/test-rate.ts";
import { createStatementDrawing } from "../src/statements/statement-drawing.ts";
import { openBillingDatabase } from "./billing-database.ts";

/** The calls about who uses the console, over a database of their own. */
export interface IdentityUnderTest {
  pool: pg.Pool;
  prisma: PrismaClient;
  identity: Client<typeof IdentityService>;
  /** As the `tollgate` command makes them on the gateway's own machine. */
  operators: Client<typeof OperatorService>;
  stop(): Promise<void>;
}

/** Of the hashes of passwords: takes a millisecond. */
const testCost = 5;
const signUp: SignUpSettings = {
  ...{ mode: "off", domains: [], creditNanoUsd: 0n, creditNeedsCard: false, termsUrl: "" },
};

/** Starts them, with the parts of `own`. Nothing of it calls the ledger, or reads the catalog. */
export async function startIdentity(
  now: () => Date,
  own: Partial<OperatorParts> & { factorPolicy?: FactorPolicy } = {},
): Promise<IdentityUnderTest> {
  const log = createLog("silent");
  const { pool, prisma, stop } = await openBillingDatabase();
  const transport = createLocalTransport(log);
  const notices = localNotices();
  const parts = {
    ...{
      prisma,
      notices,
      now,
      mailing: undefined,
      webhooks: undefined,
      sealer: undefined,
      signUp,
      secretsKey: undefined,
      contentKey: undefined,
      contentDeletion: { wake() {} },
    },
    services: {} as ProviderServices,
    testRate: new TestRate(now),
    warnings: { wake() {} },
    refusalDays: 7,
    ledger: createClient(LedgerService, transport),
    credits: createClient(CreditService, transport),
    slots: createClient(SlotService, transport),
    stripe: undefined,
    autoTopUps: undefined,
    statementIssuer: undefined,
    drawStatement: createStatementDrawing(),
    conversations: createClient(ConversationService, transport),
    catalogFile: undefined,
    factorPolicy: "off" as const,
    catalog: () => ({
      providers: new Map(),
      models: new Map(),
      plans: new Map(),
      limits: { requestsPerMinute: 0, tokensPerMinute: 0 },
    }),
    ...own,
  };
  const passwords = createPasswords(testCost);
  transport.add(bindService(IdentityService, implementIdentity({ ...parts, passwords })));
  const commands = implementOperator({ ...parts, actor: localActor });
  transport.add(bindService(OperatorService, commands));
  return {
    pool,
    prisma,
    identity: createClient(IdentityService, transport),
    operators: createClient(OperatorService, transport),
    stop,
  };
}

/** Returns the SHA-256 of a secret. */
export function hashOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(text).digest());
}
