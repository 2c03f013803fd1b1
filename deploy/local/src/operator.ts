import { createClient } from "@tollgate/kit/rpc/client";
import { createGrpcTransport } from "@tollgate/kit/rpc/grpc-client";
import type { Client } from "@tollgate/kit/rpc/implementation";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";

export interface Operator {
  client: Client<typeof OperatorService>;
  close(): void;
}

/** A client of the operator's commands at the address where billing listens. */
export function connectOperator(address: string): Operator {
  const transport = createGrpcTransport(address);
  return { client: createClient(OperatorService, transport), close: transport.close };
}
