import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { chatWire } from "./chat/wire.ts";
import { messagesWire } from "./messages/wire.ts";
import { responsesWire } from "./responses/wire.ts";
import type { Wire } from "./wire.ts";

const wires: { readonly [Name in WireName]?: Wire } = {
  [WireName.CHAT]: chatWire,
  [WireName.MESSAGES]: messagesWire,
  [WireName.RESPONSES]: responsesWire,
};

/** Returns the wire with a name. */
export function wireOf(name: WireName): Wire {
  const wire = wires[name];
  if (wire === undefined) throw new Error("a call must name its wire");
  return wire;
}
