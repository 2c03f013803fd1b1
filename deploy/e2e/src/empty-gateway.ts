import { freePort } from "@tollgate/local/free-port";
import { type OwnStack, startStack } from "./stack.ts";

/** Starts a gateway whose catalog is in the database and has no revision, with the console at `origin`. */
export async function startEmptyGateway(): Promise<{ stack: OwnStack; origin: string }> {
  const listen = `127.0.0.1:${await freePort()}`;
  const origin = `http://${listen}`;
  const stack = await startStack({
    TOLLGATE_CATALOG: "",
    TOLLGATE_CONSOLE_LISTEN: listen,
    TOLLGATE_CONSOLE_URL: origin,
  });
  return { stack, origin };
}
