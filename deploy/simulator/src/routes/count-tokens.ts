import { z } from "zod";
import type { SimulatorRoute } from "../call.ts";
import { countPromptTokens } from "../chat/tokens.ts";
import { countTokensPath, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { chatFromMessagesRequest, messagesRequest } from "../messages/request.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";

/** Anthropic's count of a message's tokens: https://docs.claude.com/en/api/messages-count-tokens */
export const countTokensRoute: SimulatorRoute = {
  method: "POST",
  path: countTokensPath,
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const { success, data: members } = z.looseObject({ model: z.string() }).safeParse(value);
    const { model = "" } = members ?? {};
    const recorded = recordCall(call, { model }, recordable);
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
    const tokens = countPromptTokens(chatFromMessagesRequest(parsed.data).messages);
    await runCommanded(call, recorded, { model }, async (commands) => {
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 200;
      await sendJson(call, recorded, commands, JSON.stringify({ input_tokens: tokens }));
    });
  },
};
