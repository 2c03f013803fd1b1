import { createClient } from "@tollgate/kit/rpc/client";
import { createGrpcTransport } from "@tollgate/kit/rpc/grpc-client";
import type { Client } from "@tollgate/kit/rpc/implementation";
import { createTrust } from "@tollgate/kit/trust";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";

export interface Operator {
  client: Client<typeof OperatorService>;
  close(): void;
}

/**
 * Creates a client of the operator API that billing serves at `address`. `secret` is the fleet's
 * secret.
 */
export function connectOperator(address: string, secret?: string): Operator {
  const transport = createGrpcTransport(address, createTrust(secret));
  return { client: createClient(OperatorService, transport), close: transport.close };
}
