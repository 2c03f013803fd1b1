import { afterAll, beforeAll, expect, test } from "vitest";
import { scripted } from "../chat/script.ts";
import { type Simulator, startSimulator } from "../simulator.ts";
import { encryptedContent } from "./encrypted-content.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});

afterAll(() => simulator.close());

const parameters = {
  type: "object",
  properties: { cmd: { type: "string" } },
  required: ["cmd"],
  additionalProperties: false,
};
const exec = { type: "function", name: "exec_command", description: "", strict: false, parameters };
const patch = {
  type: "custom",
  name: "apply_patch",
  description: "",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
};
const agents = { type: "namespace", name: "multi_agent_v1", description: "", tools: [exec, patch] };

/** The members that `codex exec` 0.169.0 sends, as recorded, with shorter texts. */
const body = {
  model: "gpt-5.5",
  stream: true,
  input: [
    { type: "additional_tools", id: "at_1", role: "developer", tools: [agents] },
    {
      type: "message",
      id: "msg_1",
      role: "developer",
      content: [{ type: "input_text", text: "You are a coding agent." }],
    },
    {
      type: "message",
      id: "msg_2",
      role: "user",
      content: [{ type: "input_text", text: "What is in the readme?" }],
    },
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "I will read it." }],
      content: null,
      encrypted_content: encryptedContent(1),
    },
    {
      type: "function_call",
      id: "fc_1",
      status: "completed",
      name: "exec_command",
      arguments: '{"cmd":"cat README.md"}',
      call_id: "call_1",
    },
    { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "# The manual" },
    {
      type: "custom_tool_call",
      id: "ctc_1",
      status: "completed",
      call_id: "call_2",
      name: "apply_patch",
      input: "*** Begin Patch\n*** End Patch",
    },
    { type: "custom_tool_call_output", id: "ctco_1", call_id: "call_2", output: "Exit code: 0" },
    {
      type: "message",
      id: "msg_3",
      role: "assistant",
      phase: "commentary",
      content: [{ type: "output_text", text: "I have read it." }],
    },
  ],
  tools: [
    exec,
    patch,
    agents,
    { type: "tool_search", execution: "client", description: "", parameters },
    { type: "web_search", external_web_access: true, search_content_types: ["text", "image"] },
  ],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "high", summary: "auto", context: "all_turns" },
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "01a2092d-c08f-7062-970c-eedf8e73b6e9",
  text: { verbosity: "low" },
  client_metadata: { session_id: "01a2092d-c08f-7062-970c-eedf8e73b6e9" },
};

const post = async (more: object) => {
  const response = await fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: "Bearer key" },
    body: JSON.stringify({ ...body, ...more }),
  });
  return { status: response.status, text: await response.text() };
};

test("the Responses route takes what the Codex CLI sends", async () => {
  expect(await post({})).toMatchObject({
    status: 200,
    text: expect.stringContaining("response.completed"),
  });
});

test.each([
  ["exec_command", { type: "function_call", arguments: '{"cmd":"ls"}' }],
  ["apply_patch", { type: "custom_tool_call", input: '{"cmd":"ls"}' }],
])("a script calls the tool %s of a namespace, which nothing else does", async (name, call) => {
  const [tools] = body.input;
  const script = scripted([{ tool: `multi_agent_v1__${name}`, arguments: { cmd: "ls" } }]);
  const asked = (content: string) => ({
    stream: false,
    tools: [],
    input: [tools, { role: "user", content }],
  });
  const { text } = await post(asked(script));
  expect(JSON.parse(text).output).toContainEqual(
    expect.objectContaining({ ...call, name, namespace: "multi_agent_v1" }),
  );
  expect((await post(asked("Hello"))).text).not.toContain("call_id");
});
