import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { createClient } from "@tollgate/rpc/client";
import { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { createGrpcTransport } from "@tollgate/rpc/grpc-transport";
import type { OperatorClient } from "../commands/command.ts";
import { UsageError } from "../help.ts";
import { createConnectTransport } from "./connect-transport.ts";
import { operatorAddress, operatorSecrets } from "./operator-address.ts";

/** A console whose operator's API the commands use. */
export interface Server {
  url: string;
  token: string;
}

/**
 * Returns the console that the options name, or else TOLLGATE_SERVER and TOLLGATE_TOKEN. Undefined
 * where the commands use billing itself. Throws a UsageError for a server without a token.
 */
export function readServer(
  options: { server?: string | undefined; token?: string | undefined },
  env: NodeJS.ProcessEnv,
): Server | undefined {
  const url = options.server || env.TOLLGATE_SERVER;
  if (!url) return undefined;
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      "--server must be the URL of a console, such as https://console.example.com",
    );
  }
  const token = options.token || env.TOLLGATE_TOKEN;
  if (!token) throw new UsageError("--server needs an operator token: --token, or TOLLGATE_TOKEN");
  return { url, token };
}

/**
 * Returns a client of the operator's API: of a console, or of billing itself. Throws a StartError for certificates
 * that cannot be used.
 */
export function openOperator(
  server: Server | undefined,
  env: NodeJS.ProcessEnv,
): { client: OperatorClient; close(): void } {
  if (server !== undefined) {
    const transport = createConnectTransport(server.url, server.token);
    return { client: createClient(OperatorService, transport), close: () => {} };
  }
  const certificates = env.TOLLGATE_TLS_DIR
    ? new FleetCertificates(env.TOLLGATE_TLS_DIR, createLog("silent"))
    : undefined;
  const auth = createPeerAuth(operatorSecrets(env));
  const transport = createGrpcTransport(operatorAddress(env), auth, certificates);
  return {
    client: createClient(OperatorService, transport),
    close() {
      transport.close();
      certificates?.close();
    },
  };
}
