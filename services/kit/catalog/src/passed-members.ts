import { chatMembers } from "./chat-members.ts";

/** Members that say what the gateway sets itself: the model, the output limit, and what is reported. */
const overriding: ReadonlySet<string> = new Set([
  "models",
  "preset",
  "fallbacks",
  "max_output_tokens",
  "max_new_tokens",
  "max_length",
  "usage",
  "deferred",
  "background",
]);

const othersPrice = "another provider or model may serve, at another price";
const ownTool = "the provider runs tools that it bills apart";
const otherModel = "the provider runs another model, too";
const others = "it reaches objects that all customers share at the provider";
const media = "the response has audio or images, which cost more than text";
const more = "the provider generates more than the response has";

/** Why members cost more than the tokens that are held and priced, or change who pays. */
const costs: Readonly<Record<string, string>> = {
  provider: othersPrice,
  route: othersPrice,
  speed: othersPrice,
  inference_geo: othersPrice,
  plugins: ownTool,
  web_search: ownTool,
  web_search_options: ownTool,
  search_parameters: ownTool,
  search_options: ownTool,
  enable_search: ownTool,
  enable_code_interpreter: ownTool,
  compound_custom: ownTool,
  safety_model: otherModel,
  moderation: otherModel,
  guardrails: otherModel,
  cached_content: others,
  conversation: others,
  previous_response_id: others,
  file_ids: others,
  modalities: media,
  audio: media,
  image_config: media,
  best_of: more,
  use_beam_search: more,
  num_beams: more,
  prediction: more,
  priority: "it takes the turn of other customers",
  vl_high_resolution_images: "images have more tokens than image_tokens may say",
  extra_body: "a provider may merge it over what the gateway sets",
};

/**
 * Returns whether a model may not pass a member, because the gateway defines or sets it. Case is ignored,
 * as some providers ignore it.
 */
export function isSetByGateway(name: string): boolean {
  const lower = name.toLowerCase();
  return overriding.has(lower) || chatMembers.some((member) => member === lower);
}

/** Returns why a member that a model passes may cost more than its tokens; undefined where it is not known to. */
export function costOfPassing(name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(costs, lower) ? costs[lower] : undefined;
}

/** Whether a member may switch reasoning on, or leave its text out of the response. */
export function switchesReasoning(name: string): boolean {
  return /reason|think|template|extra_body/i.test(name);
}
