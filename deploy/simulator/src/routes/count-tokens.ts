import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { countPromptTokens } from "../chat/tokens.ts";
import { NO_COMMANDS } from "../commands.ts";
import { countTokensPath, sendProviderError } from "../error-response.ts";
import { readJsonBody } from "../json-body.ts";
import { chatFromMessagesRequest, messagesRequest } from "../messages/request.ts";
import { recordCall } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";

/** Anthropic's count of a message's tokens: https://docs.claude.com/en/api/messages-count-tokens */
export const countTokensRoute: SimulatorRoute = {
  method: "POST",
  path: countTokensPath,
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const { success, data: members } = z.looseObject({ model: z.string() }).safeParse(value);
    const recorded = recordCall(call, { model: members?.model ?? "" }, recordable);
    const refused = ["max_tokens", "stream"].find((name) => members?.[name] !== undefined);
    const parsed = messagesRequest.safeParse({ ...members, max_tokens: 1_000_000 });
    if (!success || refused !== undefined || parsed.data === undefined) {
      const problem = refused === undefined ? "is not valid" : "Extra inputs are not permitted";
      sendProviderError(
        call,
        { status: 400, message: `${refused ?? "body"}: ${problem}` },
        recorded,
      );
      return;
    }
    recorded.status = 200;
    const tokens = countPromptTokens(chatFromMessagesRequest(parsed.data).messages);
    await sendJson(call, recorded, NO_COMMANDS, JSON.stringify({ input_tokens: tokens }));
  },
};
