import type { SimulatorRoute } from "./call.ts";
import { type ProviderError, sendProviderError } from "./error-response.ts";

/** How a vendor's API takes its key. */
export interface KeyHeader {
  name: string;
  /** What the value must match. */
  form: RegExp;
  /** What the vendor says without one. */
  refusal: ProviderError;
}

export const bearerHeader = { name: "authorization", form: /^Bearer \S/ };

/** Returns the routes, which refuse calls without the header for a key. */
export function refuseWithoutKey(
  routes: readonly SimulatorRoute[],
  { name, form, refusal }: KeyHeader,
): readonly SimulatorRoute[] {
  return routes.map((route) => ({
    ...route,
    handle(call) {
      if (form.test(String(call.request.headers[name] ?? ""))) return route.handle(call);
      call.request.resume();
      sendProviderError(call, refusal);
    },
  }));
}
