import { createPeerAuth, type FleetSecrets } from "@tollgate/core/peer-auth";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { createClient, type Transport } from "@tollgate/rpc/client";
import type { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { createGrpcTransport } from "@tollgate/rpc/grpc-transport";
import type { CallOptions, Client } from "@tollgate/rpc/implementation";

export interface OperatorConnection {
  client: Client<typeof OperatorService>;
  close(): void;
}

/**
 * Creates a client of the operator API that billing serves at `address`. `defaults` are the options of calls that
 * have none.
 */
export function connectOperator(
  address: string,
  secrets: FleetSecrets = {},
  certificates?: FleetCertificates,
  defaults: CallOptions = {},
): OperatorConnection {
  const grpc = createGrpcTransport(address, createPeerAuth(secrets), certificates);
  const transport: Transport = {
    unary: (method, request, own) => grpc.unary(method, request, { ...defaults, ...own }),
    serverStream: (method, request, own) =>
      grpc.serverStream(method, request, { ...defaults, ...own }),
  };
  return { client: createClient(OperatorService, transport), close: grpc.close };
}
