import { type ConnectRouter, createContextKey, type HandlerContext } from "@connectrpc/connect";

/** The network address of the client of a call. */
export const clientAddress = createContextKey("", { description: "address of the client" });

/** Returns the network address of the client of a call. */
export function addressOf({ values }: HandlerContext): string {
  return values.get(clientAddress);
}

/** Adds services to a router. */
export type RouteRegistration = (router: ConnectRouter) => void;
