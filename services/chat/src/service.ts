import { integerSetting, readSettings } from "@tollgate/core/config";
import { serveJson } from "@tollgate/generation/json-route";
import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { listProviderModels } from "@tollgate/generation/slot-test/list-provider-models";
import { testSlot } from "@tollgate/generation/slot-test/test-slot";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { ChatTestService } from "@tollgate/proto/tollgate/v1/slot_test";
import { bindService } from "@tollgate/rpc/implementation";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { defineService } from "@tollgate/runtime/service";
import { z } from "zod";
import { openConversations } from "./conversations/open.ts";
import { noConversations } from "./conversations/service.ts";
import { embeddings } from "./embeddings.ts";
import { serve } from "./serve.ts";
import { serveStream } from "./serve-stream.ts";
import { callChatSlot } from "./test-chat-slot.ts";
import { startTokenizer } from "./tokenizer/tokenizer.ts";
import { UsageMeter } from "./usage/usage-meter.ts";
import { countTokens } from "./wires/count-tokens.ts";

/** Chat completions, Messages and Responses, stored conversations, and embeddings. */
export const chat = defineService({
  name: "chat",
  async setup(context) {
    const settings = readSettings(schema, context.env);
    const runtime = await openProviderRuntime(context);
    const conversations =
      settings.TOLLGATE_SESSIONS === "off"
        ? undefined
        : await openConversations(context, {
            databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
            waitMs: settings.TOLLGATE_SESSION_WAIT_SECONDS * 1_000,
          });
    const tokenizer = startTokenizer(context.log);
    const meter = new UsageMeter(tokenizer);
    const { now } = context;
    const chatRuntime = { ...runtime, sessions: conversations?.sessions, meter, now };
    const chats = bindService(ChatService, {
      complete: ({ call }, cancellation) => serve(chatRuntime, required(call), cancellation),
      stream: ({ call }, cancellation) => serveStream(chatRuntime, required(call), cancellation),
      countTokens: ({ call }, { signal }) => countTokens(chatRuntime, required(call), signal),
      async embed(call, cancellation) {
        const { bytes } = await serveJson(runtime, embeddings, call, cancellation);
        return { body: bytes };
      },
    });
    const stored = bindService(ConversationService, conversations?.api ?? noConversations);
    const tests = bindService(ChatTestService, {
      testChatSlot: async ({ test }, cancellation) => ({
        result: await testSlot(runtime, test, cancellation, (call) =>
          callChatSlot(chatRuntime, call),
        ),
      }),
      listChatProviderModels: async ({ request }, { signal }) => ({
        response: await listProviderModels(runtime, required(request), signal),
      }),
    });
    return {
      bindings: [chats, stored, tests],
      drain: runtime.drain,
      async stop(graceMs) {
        await runtime.stop(graceMs);
        await tokenizer.stop();
        await conversations?.stop();
      },
    };
  },
});

const schema = z.object({
  /** `off`: no conversation is stored, and session_id is refused. */
  TOLLGATE_SESSIONS: z.enum(["on", "off"]).default("on"),
  TOLLGATE_SESSION_WAIT_SECONDS: integerSetting({ min: 1, max: 300, default: 30 }),
  TOLLGATE_DATABASE_CONNECTIONS: databaseSettings.TOLLGATE_DATABASE_CONNECTIONS,
});

function required<Call>(call: Call | undefined): Call {
  if (call === undefined) throw new Error("a request must carry its call");
  return call;
}
