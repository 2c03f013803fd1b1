import {
  either,
  gate,
  type ListRule,
  listOfRule,
  members,
  types,
  values,
} from "../../validation/allow-list.ts";
import { isIdleSearch } from "./idle-search.ts";

/**
 * What a Responses request may have, by the reference of OpenAI's API and its SDK's types:
 * https://platform.openai.com/docs/api-reference/responses. `docs/agents.md` lists the same. Not
 * listed is what runs other models than the client's (`moderation`).
 */

/** Whether the model itself calls a tool, or the program that the provider runs for it. */
const caller = types({
  direct: members("type"),
  program: gate("code_execution", members("type caller_id")),
});
const called = {
  caller,
  allowed_callers: listOfRule(values({ direct: undefined }, "code_execution")),
};

/** The catalog has no price of its own for writes to a cache that keeps them longer. */
const ttl = values({ "30m": undefined });
const breakpoint = { prompt_cache_breakpoint: members("mode", { ttl }) };
const parts = listOfRule(
  types({
    input_text: members("type text", breakpoint),
    input_image: members("type image_url detail", { ...breakpoint, file_id: gate("stored") }),
    input_file: members("type file_data filename detail", {
      ...breakpoint,
      file_url: gate("urls"),
      file_id: gate("stored"),
    }),
    input_audio: members("type", { input_audio: members("data format"), ...breakpoint }),
    output_text: members("type text annotations logprobs"),
    text: members("type text"),
    refusal: members("type refusal"),
    summary_text: members("type text"),
    reasoning_text: members("type text"),
    encrypted_content: members("type encrypted_content"),
  }),
);

const named = "type name description strict parameters output_schema defer_loading async";
const functionTool = members(named, called);
const customTool = members("type name description format defer_loading async", called);

/** The containers in which a provider runs code. Those of another size cost more. */
const ownContainer = members("type network_policy", { file_ids: gate("stored") });
const container = gate(
  "code_execution",
  types({
    auto: ownContainer,
    container_auto: members("type network_policy", {
      file_ids: gate("stored"),
      skills: gate("stored"),
    }),
    container_reference: gate("stored", members("type container_id")),
  }),
);
const search = members(
  "type filters search_context_size search_content_types user_location external_web_access",
);

const tool = types({
  function: functionTool,
  custom: customTool,
  namespace: members("type name description", {
    tools: listOfRule(types({ function: functionTool, custom: customTool })),
  }),
  tool_search: members("type description execution parameters"),
  local_shell: members("type"),
  apply_patch: members("type", called),
  computer: members("type display_height display_width environment"),
  computer_use_preview: members("type display_height display_width environment"),
  shell: members("type", {
    ...called,
    environment: types({
      local: members("type skills"),
      container_auto: container,
      container_reference: container,
    }),
  }),
  web_search: gate("web_search", search, isIdleSearch),
  web_search_preview: gate("web_search", search),
  file_search: gate(
    "file_search",
    members("type filters max_num_results ranking_options", { vector_store_ids: gate("stored") }),
  ),
  code_interpreter: gate(
    "code_execution",
    members("type", {
      ...called,
      container: either(types({ auto: ownContainer }), gate("stored")),
    }),
  ),
  programmatic_tool_calling: gate("code_execution", members("type")),
  image_generation: gate(
    "image_generation",
    members(
      "type action background complexity frame_count frame_duration_ms input_fidelity model " +
        "moderation output_compression output_format partial_images quality size svg",
      { input_image_mask: members("image_url", { file_id: gate("stored") }) },
    ),
  ),
  mcp: gate(
    "mcp",
    members(
      "type server_label server_url server_description connector_id tunnel_id authorization " +
        "headers allowed_tools require_approval defer_loading allowed_callers",
    ),
  ),
});

const choices: Readonly<Record<string, ListRule>> = {
  function: members("type name namespace"),
  custom: members("type name namespace"),
  apply_patch: members("type"),
  shell: members("type"),
  local_shell: members("type"),
  tool_search: members("type"),
  computer: members("type"),
  computer_use: members("type"),
  computer_use_preview: members("type"),
  web_search: gate("web_search", members("type")),
  web_search_preview: gate("web_search", members("type")),
  file_search: gate("file_search", members("type")),
  code_interpreter: gate("code_execution", members("type")),
  programmatic_tool_calling: gate("code_execution", members("type")),
  image_generation: gate("image_generation", members("type")),
  mcp: gate("mcp", members("type name server_label")),
};

const call = "type id call_id status";
const shellEnvironment = types({ local: members("type skills"), container_reference: container });

const item = types(
  {
    message: members("type role id status phase", { content: parts }),
    function_call: members(`${call} name namespace arguments async`, { caller }),
    function_call_output: members(`${call} name namespace`, { output: parts, caller }),
    custom_tool_call: members(`${call} name namespace input async`, { caller }),
    custom_tool_call_output: members(`${call} name`, { output: parts, caller }),
    reasoning: members("type id status encrypted_content", { summary: parts, content: parts }),
    agent_message: members("type id status author recipient", { content: parts }),
    agent_reasoning: members("type id text"),
    compaction: members("type id encrypted_content"),
    compaction_trigger: members("type id"),
    configuration_update: members("type id", {
      reasoning: members("effort"),
      text: members("format"),
    }),
    additional_tools: members("type id role", { tools: listOfRule(tool) }),
    tool_search_call: members(`${call} arguments execution`),
    tool_search_output: members(`${call} execution`, { tools: listOfRule(tool) }),
    local_shell_call: members(`${call} action`),
    local_shell_call_output: members(`${call} output`),
    shell_call: members(`${call} action`, { caller, environment: shellEnvironment }),
    shell_call_output: members(`${call} output max_output_length`, { caller }),
    apply_patch_call: members(`${call} operation`, { caller }),
    apply_patch_call_output: members(`${call} output`, { caller }),
    computer_call: members(`${call} action actions pending_safety_checks`),
    computer_call_output: members(`${call} acknowledged_safety_checks`, {
      output: members("type image_url", { file_id: gate("stored") }),
    }),
    web_search_call: gate("web_search", members("type id status action")),
    file_search_call: gate("file_search", members("type id status queries results")),
    code_interpreter_call: gate(
      "code_execution",
      members("type id status code outputs", { container_id: gate("stored") }),
    ),
    program: gate("code_execution", members(`${call} code fingerprint`)),
    program_output: gate("code_execution", members(`${call} result`)),
    image_generation_call: gate(
      "image_generation",
      members(
        "type id status result action background error output_format quality revised_prompt size " +
          "svg_usage",
      ),
    ),
    mcp_list_tools: gate("mcp", members("type id server_label tools error")),
    mcp_approval_request: gate("mcp", members("type id arguments name server_label")),
    mcp_approval_response: gate("mcp", members("type id approval_request_id approve reason")),
    mcp_call: gate(
      "mcp",
      members("type id status arguments name server_label approval_request_id error output"),
    ),
    item_reference: gate("stored", members("type id")),
  },
  "message",
);

const include = values({
  "reasoning.encrypted_content": undefined,
  "message.output_text.logprobs": undefined,
  "message.input_image.image_url": undefined,
  "computer_call_output.output.image_url": undefined,
  "web_search_call.results": "web_search",
  "web_search_call.action.sources": "web_search",
  "file_search_call.results": "file_search",
  "code_interpreter_call.outputs": "code_execution",
});

/**
 * The body of POST /v1/responses. The schema refuses `previous_response_id`, `conversation`,
 * `prompt`, and what `store` and `background` could be besides false.
 */
export const responsesList = members(
  "model instructions max_output_tokens max_tool_calls stream temperature top_p top_logprobs " +
    "truncation parallel_tool_calls metadata client_metadata prompt_cache_key " +
    "prompt_cache_retention safety_identifier user store background previous_response_id " +
    "conversation prompt",
  {
    input: listOfRule(item),
    tools: listOfRule(tool),
    tool_choice: types({
      ...choices,
      allowed_tools: members("type mode", { tools: listOfRule(types(choices)) }),
    }),
    include: listOfRule(include),
    reasoning: members("effort summary generate_summary context mode"),
    text: members("verbosity", {
      format: types({
        text: members("type"),
        json_object: members("type"),
        json_schema: members("type name description strict schema"),
      }),
    }),
    stream_options: members("include_obfuscation include_usage"),
    context_management: listOfRule(members("type compact_threshold")),
    prompt_cache_options: members("mode prewarm", {
      ttl,
      comparison_response_id: gate("stored"),
    }),
    image: members("context_compression"),
    service_tier: values(
      { auto: undefined, default: undefined, standard_only: undefined },
      "priority",
    ),
  },
);
