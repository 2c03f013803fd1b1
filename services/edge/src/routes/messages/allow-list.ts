import { free, gate, listOfRule, members, types, values } from "../../validation/allow-list.ts";

/**
 * What a Messages request may have, by the references of Anthropic's API and its SDK's types:
 * https://docs.claude.com/en/api/messages. `docs/agents.md` lists the same. Not listed is what runs
 * other models than the client's (`fallbacks`, the advisor), or bills others (`billing_policy`).
 */

/** Whether the model itself calls a tool, or the code that the provider runs. */
const caller = types({
  direct: members("type"),
  code_execution: gate("code_execution", members("type tool_id")),
});
const callers = listOfRule(values({ direct: undefined }, "code_execution"));

const text = members("type text cache_control citations");
const image = members("type cache_control transformations", {
  source: types({
    base64: members("type media_type data"),
    url: members("type url"),
    file: gate("stored", members("type file_id")),
  }),
});
const document = members("type cache_control citations context title", {
  source: types({
    base64: members("type media_type data"),
    text: members("type media_type data"),
    content: members("type", { content: listOfRule(types({ text, image })) }),
    url: gate("urls", members("type url")),
    file: gate("stored", members("type file_id")),
  }),
});
const searchResult = members("type source title content citations cache_control");

/** A tool whose calls the client runs. */
const clientTool = members(
  "type name description input_schema strict cache_control eager_input_streaming defer_loading " +
    "input_examples max_characters display_height_px display_width_px display_number enable_zoom",
  { allowed_callers: callers },
);
const toolset = members("type cache_control configs");
const providerTool =
  "type name cache_control defer_loading strict max_uses allowed_domains blocked_domains";
const mcpTool = members("type mcp_server_name cache_control configs default_config tools");

const tool = types(
  {
    custom: clientTool,
    bash: clientTool,
    text_editor: clientTool,
    computer: clientTool,
    memory: clientTool,
    browser_toolset: toolset,
    computer_toolset: toolset,
    tool_search_tool_regex: members("type name cache_control defer_loading strict", {
      allowed_callers: callers,
    }),
    tool_search_tool_bm25: members("type name cache_control defer_loading strict", {
      allowed_callers: callers,
    }),
    web_search: gate(
      "web_search",
      members(`${providerTool} user_location`, { allowed_callers: callers }),
    ),
    web_fetch: gate(
      "web_fetch",
      members(
        `${providerTool} citations max_content_tokens url_sources use_cache response_inclusion`,
        { allowed_callers: callers },
      ),
    ),
    code_execution: gate(
      "code_execution",
      members("type name cache_control defer_loading strict", { allowed_callers: callers }),
    ),
    mcp_toolset: gate("mcp", mcpTool),
  },
  "custom",
);

/** A tool that a message adds to the request's, or takes away. */
const changedTool = types({
  tool_reference: members("type name"),
  tool_definition: members("type", { definition: tool }),
  mcp_tool_reference: gate("mcp", members("type name server_name")),
  mcp_toolset_reference: gate("mcp", members("type server_name")),
});
const toolChange = members("type cache_control", { tool: changedTool });

const serverToolUse = members("type id input cache_control", {
  name: values({
    web_search: "web_search",
    web_fetch: "web_fetch",
    code_execution: "code_execution",
    bash_code_execution: "code_execution",
    text_editor_code_execution: "code_execution",
    tool_search_tool_regex: undefined,
    tool_search_tool_bm25: undefined,
  }),
  caller,
});
const toolResult = members("type tool_use_id content cache_control", { caller });

const block = types({
  text,
  image,
  document,
  search_result: searchResult,
  thinking: members("type thinking signature"),
  redacted_thinking: members("type data"),
  tool_use: members("type id name input cache_control toolset_name", { caller }),
  tool_result: members("type tool_use_id is_error cache_control toolset_name", {
    content: listOfRule(
      types({
        text,
        image,
        document,
        search_result: searchResult,
        tool_reference: members("type tool_name cache_control"),
        browser_state: members("type tabs state_changes cache_control"),
      }),
    ),
  }),
  server_tool_use: serverToolUse,
  tool_search_tool_result: toolResult,
  web_search_tool_result: gate("web_search", toolResult),
  web_fetch_tool_result: gate("web_fetch", toolResult),
  code_execution_tool_result: gate("code_execution", toolResult),
  bash_code_execution_tool_result: gate("code_execution", toolResult),
  text_editor_code_execution_tool_result: gate("code_execution", toolResult),
  mcp_tool_use: gate("mcp", members("type id name input server_name cache_control")),
  mcp_tool_result: gate("mcp", members("type tool_use_id is_error content cache_control")),
  mcp_tool_listing: gate("mcp", members("type mcp_server_name tools")),
  container_upload: gate("stored", members("type file_id cache_control")),
  compaction: members("type content encrypted_content signature cache_control", {
    tool_changes: listOfRule(types({ tool_addition: toolChange, tool_removal: toolChange })),
  }),
  tool_addition: toolChange,
  tool_removal: toolChange,
});

const edit = types({
  clear_tool_uses: members("type trigger keep clear_at_least clear_tool_inputs exclude_tools"),
  clear_thinking: members("type keep"),
  compact: members("type instructions pause_after_compaction trigger"),
});

/** What the requests of both routes may have. */
const common = {
  messages: listOfRule(
    members("role", {
      content: listOfRule(block),
      clear_at: free,
      output_config: members("effort"),
    }),
  ),
  system: listOfRule(types({ text })),
  tools: listOfRule(tool),
  tool_choice: members("type name disable_parallel_tool_use"),
  thinking: members("type budget_tokens display block_binding"),
  output_config: members("effort format task_budget"),
  context_management: members("", { edits: listOfRule(edit) }),
  mcp_servers: gate("mcp"),
  speed: values({ standard: undefined }, "priority"),
};

/** The body of POST /v1/messages. The schema refuses `thread`. */
export const messagesList = members(
  "model max_tokens stream stop_sequences temperature top_p top_k metadata output_format " +
    "cache_control thread",
  {
    ...common,
    service_tier: values(
      { auto: undefined, standard_only: undefined, default: undefined },
      "priority",
    ),
    inference_geo: gate("priority"),
    container: gate("stored"),
    compaction: members("type instructions"),
    diagnostics: gate("stored"),
  },
);

/** The body of POST /v1/messages/count_tokens. */
export const countTokensList = members("model output_format cache_control", common);
