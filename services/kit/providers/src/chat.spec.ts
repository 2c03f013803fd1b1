import { type ChatMember, chatMembers } from "@tollgate/catalog/chat-members";
import { SlotFailure } from "@tollgate/upstream/failure";
import { describe, expect, test } from "vitest";
import {
  bedrockUnderTest,
  claude,
  cohereUnderTest,
  gemini,
  mistralUnderTest,
  vertexClaude,
  vertexGemini,
} from "../test/kinds.ts";
import { rejectionReason, respondWithJson, startProvider } from "../test/provider-of-kind.ts";

const base = { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 4_000 };

/** A value of each member that changes the request. */
const values: Record<ChatMember, unknown> = {
  model: "a",
  messages: base.messages,
  stream: true,
  max_completion_tokens: 50,
  max_tokens: 50,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  min_p: 0.5,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  stop: ["a"],
  seed: 1,
  n: 2,
  logit_bias: { 1: 1 },
  user: "u",
  parallel_tool_calls: false,
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
  tool_choice: "required",
  response_format: { type: "json_object" },
  reasoning_effort: "low",
  stream_options: { include_usage: true },
  metadata: { user_id: "u" },
  logprobs: true,
  top_logprobs: 1,
  session_id: "s",
  store: true,
  service_tier: "auto",
};

/** The members that the gateway sets, which never reach the check as the client's. */
const own = ["model", "messages", "stream", "stream_options"];

describe.each([
  ["Claude", claude],
  ["Claude on Bedrock", bedrockUnderTest],
  ["Gemini 2.5", gemini],
  ["Gemini 3", { ...gemini, modelId: "gemini-3-flash-preview" }],
  ["Gemini on Vertex AI", vertexGemini],
  ["Claude on Vertex AI", vertexClaude],
  ["Mistral", mistralUnderTest],
  ["Cohere", cohereUnderTest],
])("a chat with %s", (_, kind) => {
  test.each(
    chatMembers.filter((member) => !own.includes(member)),
  )("has the member %s sent, or refused by name", async (member) => {
    const { bodies, check, post } = await startProvider(kind);
    const tools = ["tool_choice", "parallel_tool_calls"].includes(member)
      ? { tools: values.tools }
      : {};
    const request = { ...base, ...tools, [member]: values[member] };
    const refusal = await check(request).catch((error: unknown) => error);
    if (!kind.vendor.chatParameters.has(member) || kind.refuses?.includes(member)) {
      expect(refusal).toMatchObject({ code: "invalid_param", param: member });
      return;
    }
    expect(refusal).toBeUndefined();
    await post({ ...base, ...tools });
    await post(request);
    const [without, sent] = bodies;
    const isSet = member === "max_completion_tokens" || member === "max_tokens";
    if (!isSet) expect(sent).not.toEqual(without);
  });

  test("may have members that change nothing", async () => {
    const { bodies, check, post } = await startProvider(kind);
    const neutral = { n: 1, frequency_penalty: 0, logprobs: false, logit_bias: {}, metadata: {} };
    const request = { ...base, ...neutral, presence_penalty: 0, parallel_tool_calls: true };
    await check(request);
    await post(base);
    await post(request);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test("has no member that the API does not define, unless the kind takes any", async () => {
    const { check } = await startProvider(kind);
    const request = { ...base, prediction: {} };
    if (kind === mistralUnderTest) return check(request);
    const error = await rejectionReason(check(request));
    expect(error).toMatchObject({ code: "unknown_param", param: "prediction" });
  });

  test("has a response that is one, or it is a failure of the slot", async () => {
    const { post } = await startProvider(kind, (response) => respondWithJson(response, 200, [1]));
    const failure = await rejectionReason(post(base));
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({ kind: "rejected", passesOn: true });
  });

  test.each(["", "<html>", '{"id":'])("has a response that is JSON, and not %j", async (text) => {
    const { post } = await startProvider(kind, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    });
    const failure = await rejectionReason(post(base));
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({
      kind: "rejected",
      passesOn: true,
      message: "the provider's response is not JSON",
    });
  });
});
