import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";

/** The fields, of any message, that say which provider serves a model, how well, and what it charges. */
const concealed: ReadonlySet<string> = new Set([
  "provider",
  "providers",
  "providerUsage",
  "upstreamModel",
  "attempts",
  "passedOver",
  "refusedKeys",
  "outSlots",
  "providerCostNanoUsd",
  "costedChargeNanoUsd",
  "providerPricePicoUsd",
]);

/** Removes from a response what a customer does not see: the operator's providers, and their prices. */
export function concealProviders(schema: DescMessage, response: Message): void {
  for (const message of messagesIn(reflect(schema, response))) {
    for (const field of message.fields) {
      if (concealed.has(field.localName)) message.clear(field);
    }
  }
}

/** The fields of requests that name what usage is summed by, or must not have. */
interface UsageDimensions {
  by?: UsageBy;
  thenBy?: UsageBy;
  without?: readonly UsageBy[];
}

/**
 * Throws a ConnectError with the code `permission_denied` for a customer's request that filters or sums
 * by provider: its response would show which one served.
 */
export function refuseProviders(schema: DescMessage, request: Message): void {
  for (const message of messagesIn(reflect(schema, request))) {
    const names = message.fields
      .filter((field) => message.isSet(field))
      .map((one) => one.localName);
    const { by, thenBy, without = [] } = message.message as UsageDimensions;
    const isByProvider = [by, thenBy, ...without].includes(UsageBy.PROVIDER);
    if (names.some((name) => concealed.has(name)) || isByProvider) {
      const text = "A customer does not see providers: filter and sum by something else.";
      throw new ConnectError(text, Code.PermissionDenied);
    }
  }
}

/** Yields a message and all within it. */
function* messagesIn(message: ReflectMessage): Generator<ReflectMessage> {
  yield message;
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "message") yield* messagesIn(message.get(field));
    if (field.fieldKind === "list" && field.listKind === "message") {
      for (const item of message.get(field)) yield* messagesIn(item as ReflectMessage);
    }
  }
}
