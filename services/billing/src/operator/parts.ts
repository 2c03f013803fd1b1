import type { Catalog } from "@tollgate/catalog/model";
import type { Repeating } from "@tollgate/core/repeat";
import type { SecretsKey } from "@tollgate/core/secrets-key";
import type { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import type { CallActor } from "../actor.ts";
import type { PrismaClient } from "../generated/client.ts";
import type { Mailing } from "../mail/mailing.ts";
import type { SignUpSettings } from "../members/sign-up-settings.ts";
import type { StripeAccess } from "../payments/stripe-client.ts";
import type { Sealer } from "../sealing.ts";
import type { StatementDrawing } from "../statements/statement-drawing.ts";
import type { Webhooks } from "../warnings/channels.ts";
import type { ProviderServices } from "./provider-services.ts";
import type { TestRate } from "./test-rate.ts";

/** The catalog file, at its last valid version. */
export interface CatalogFileText {
  path: string;
  text: string;
  hash: string;
}

/** What the operator's calls need. */
export interface OperatorParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  credits: Client<typeof CreditService>;
  conversations: Client<typeof ConversationService>;
  slots: Client<typeof SlotService>;
  /** Undefined where nothing is paid by card. */
  stripe: StripeAccess | undefined;
  /** Compares balances with the thresholds of automatic top-ups: those that were set at once. */
  autoTopUps: Pick<Repeating, "wake"> | undefined;
  /** Who issues statements: lines. Undefined where none are issued. */
  statementIssuer: readonly string[] | undefined;
  drawStatement: StatementDrawing;
  /** Returns the catalog in use. */
  catalog(): Catalog;
  /** Seals the secrets that operators set. Undefined where it is not set. */
  secretsKey: SecretsKey | undefined;
  /** Encrypts prompts and responses. Undefined where it is not set. */
  contentKey: SecretsKey | undefined;
  /** Deletes prompts and responses that must not be stored any more. */
  contentDeletion: Pick<Repeating, "wake">;
  /** Returns the file that is the catalog; undefined where it is in the database. */
  catalogFile: (() => CatalogFileText) | undefined;
  /** The services that call providers, for tests of their slots. */
  services: ProviderServices;
  testRate: TestRate;
  notices: Notices;
  /** Encrypts what is stored of people. Undefined where TOLLGATE_IDENTITY_KEY is not set. */
  sealer: Sealer | undefined;
  /** Undefined where no mail is sent. */
  mailing: Mailing | undefined;
  /** Undefined where no webhooks are sent. */
  webhooks: Webhooks | undefined;
  /** Checks the rules of warnings: those that were changed at once. */
  warnings: Pick<Repeating, "wake">;
  signUp: SignUpSettings;
  /** Who makes the call, and what it finds. */
  actor: CallActor;
  now(): Date;
  /** For how many days the records of refused requests are stored. */
  refusalDays: number;
}
