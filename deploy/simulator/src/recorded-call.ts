import { correlationIds, isAuthorized, type SimulatorCall, vendorHeaders } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";
import { type Commands, readCommands } from "./commands.ts";
import { sendProviderError } from "./error-response.ts";
import { sendReply } from "./send-reply.ts";

/** The fields of a request that the call log records besides its body. */
export interface RequestSummary {
  model: string;
  stream?: boolean | null | undefined;
  user?: string | null | undefined;
  n?: number | null | undefined;
}

/** Adds a call to the call log. */
export function recordCall(
  call: SimulatorCall,
  { model, stream, user, n }: RequestSummary,
  body: unknown,
): RecordedCall {
  return call.state.calls.record({
    at: call.state.nowMs(),
    route: call.path,
    model,
    stream: stream ?? false,
    n: n ?? 1,
    user: user ?? null,
    authorized: isAuthorized(call.request),
    ...correlationIds(call.request),
    vendorHeaders: vendorHeaders(call.request),
    contentLength: Number(call.request.headers["content-length"] ?? 0),
    body,
  });
}

/**
 * Reads the commands of a call and runs `respond` with them, or sends the reply that they name. Sends
 * a 400 when a command is invalid.
 * When `respond` rejects, records why: the client disconnected, or the call failed.
 */
export async function runCommanded(
  call: SimulatorCall,
  recorded: RecordedCall,
  given: { model: string; simulate?: string | undefined },
  respond: (commands: Commands) => Promise<void>,
): Promise<void> {
  const commands = readCommands(given.model, given.simulate);
  if ("problem" in commands) {
    sendProviderError(
      call,
      { status: 400, message: commands.problem, code: "bad_command" },
      recorded,
    );
    return;
  }
  try {
    if (commands.reply_id === undefined) await respond(commands);
    else await sendNamedReply(call, recorded, commands.reply_id, commands.trickle_ms);
  } catch (error) {
    if (recorded.outcome === "open") {
      recorded.outcome = call.disconnected.aborted ? "client_disconnected" : "failed";
    }
    throw error;
  }
}

async function sendNamedReply(
  call: SimulatorCall,
  recorded: RecordedCall,
  id: string,
  trickleMs: number | undefined,
): Promise<void> {
  const { replies } = call.state;
  const reply = replies.get(id);
  if (reply === undefined) {
    const message = `no reply is registered as ${id}`;
    sendProviderError(call, { status: 400, message, code: "bad_command" }, recorded);
    return;
  }
  replies.record(id, {
    path: call.request.url ?? "",
    headers: call.request.headers,
    body: recorded.body,
  });
  await sendReply(call, recorded, reply, trickleMs);
}
