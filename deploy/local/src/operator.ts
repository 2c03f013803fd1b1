import { createPeerAuth, type FleetSecrets } from "@tollgate/core/peer-auth";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { createClient } from "@tollgate/rpc/client";
import type { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { createGrpcTransport } from "@tollgate/rpc/grpc-transport";
import type { Client } from "@tollgate/rpc/implementation";

export interface OperatorConnection {
  client: Client<typeof OperatorService>;
  close(): void;
}

/** Creates a client of the operator API that billing serves at `address`. */
export function connectOperator(
  address: string,
  secrets: FleetSecrets = {},
  certificates?: FleetCertificates,
): OperatorConnection {
  const transport = createGrpcTransport(address, createPeerAuth(secrets), certificates);
  return { client: createClient(OperatorService, transport), close: transport.close };
}
