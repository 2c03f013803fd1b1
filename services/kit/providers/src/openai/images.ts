import type { Slot } from "@tollgate/catalog/model";

const host = "api.openai.com";
/** Also behind a gateway that names them `openai/gpt-image-2`. */
const models = /(?:^|\/)(?:chat)?gpt-image/;

/**
 * Returns the members of an image request that a slot is not sent. The GPT image models return base64
 * and refuse `response_format`; OpenAI's older ones return URLs without it:
 * https://platform.openai.com/docs/api-reference/images/create
 */
export function omittedOfImages({ provider, upstreamModel }: Slot): readonly string[] {
  const { baseUrl = "" } = provider;
  const isOpenai = URL.canParse(baseUrl) && new URL(baseUrl).hostname === host;
  return isOpenai || models.test(upstreamModel) ? ["response_format"] : [];
}
