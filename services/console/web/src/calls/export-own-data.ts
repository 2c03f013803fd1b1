import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";

/** Resolves with what is stored of the signed-in user as JSON. Reads all parts of it. */
export async function exportOwnData(transport: Transport): Promise<string> {
  const parts: { acts?: unknown[] }[] = [];
  let beforeAct = "";
  do {
    const request = { beforeAct };
    const method = ConsoleService.method.exportOwnData;
    const part = await callUnaryMethod(transport, method, request);
    parts.push(JSON.parse(part.document));
    beforeAct = part.nextAct;
  } while (beforeAct !== "");
  const acts = parts.flatMap((part) => part.acts ?? []);
  return `${JSON.stringify({ ...parts[0], acts }, undefined, 2)}\n`;
}
