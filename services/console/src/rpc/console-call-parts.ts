import type { Log } from "@tollgate/core/log";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import type { Client } from "@tollgate/rpc/implementation";
import type { SignedInSessions } from "../access/sessions.ts";

/** What the calls of ConsoleService need. */
export interface ConsoleCallParts {
  sessions: SignedInSessions;
  identities: Client<typeof IdentityService>;
  version: string;
  /** Returns where clients reach the gateway; empty where that is not known. */
  gatewayUrl(): string;
  hasPlayground: boolean;
  /** The name of the console in apps that show the codes of second factors. */
  issuer: string;
  /** The name of the OpenID provider; empty if there is none. */
  oidcName: string;
  log: Log;
}
