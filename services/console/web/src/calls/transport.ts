import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

/** Calls the console that served the page. GET is not used: every call has its cookie checked. */
export function originTransport(): Transport {
  return createConnectTransport({ baseUrl: location.origin });
}
