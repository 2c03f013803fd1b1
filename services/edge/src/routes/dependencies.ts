import type { Catalog, Model } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import type { Health } from "@tollgate/proto/grpc/health/v1/health";
import type { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import type { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import type { ImageService } from "@tollgate/proto/tollgate/v1/image";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { ServiceName } from "@tollgate/runtime/service";
import type { Authenticate } from "../auth/authenticate.ts";
import type { BalanceGuard } from "../auth/balance-guard.ts";
import type { FreeCalls } from "../auth/free-calls.ts";
import type { Revocations } from "../auth/revocations.ts";
import type { AdvertisedRates } from "../billable/advertised-rates.ts";
import type { Contents } from "../contents/contents.ts";
import type { BodySpace } from "../http/body-space.ts";
import type { Leases } from "../idempotency/leases.ts";
import type { IdempotencyRecords } from "../idempotency/records.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import type { ServiceProxy } from "../proxy/service-proxy.ts";

/** What the handlers of all routes are created from. */
export interface RouteDependencies {
  log: Log;
  metrics: Pick<Metrics, "droppedBetas">;
  authenticate: Authenticate;
  balance: BalanceGuard;
  bodies: BodySpace;
  freeCalls: FreeCalls;
  revocations: Revocations;
  advertised: AdvertisedRates;
  leases: Leases;
  contents: Contents;
  /** The longest that a response of any route may take. */
  maxResponseMs: number;
  records: IdempotencyRecords;
  services: Services;
  /** The health clients of all other services, by name. */
  health: HealthClients;
  /** The services that read their requests' bodies themselves. */
  proxies: { audio: ServiceProxy; document: ServiceProxy };
  /** Returns the current catalog. */
  catalog(): Catalog;
  /** Returns whether the service that serves a model of it has it. */
  isModelListed(model: Model): boolean;
  /** Returns the OpenAPI document of all routes. */
  openApiDocument(): OpenApiDocument;
  version: string;
  uptimeSeconds(): number;
}

export interface Services {
  audio: Client<typeof AudioService>;
  billing: Client<typeof BillingService>;
  chat: Client<typeof ChatService>;
  conversations: Client<typeof ConversationService>;
  document: Client<typeof DocumentService>;
  image: Client<typeof ImageService>;
}

export type HealthClients = Readonly<Partial<Record<ServiceName, Client<typeof Health>>>>;
