import { approximateUsage, type ChatUsage } from "../../usage/usage.ts";
import { readUsage } from "../../usage-reader.ts";
import type { ResponseFrame } from "../response-frame.ts";
import { contentCharacters } from "./content.ts";
import type { WithChoices } from "./provider-response.ts";

/** Returns the usage that a completion reports, else an estimate by its characters. */
export function usageOf(
  { usage, choices }: WithChoices,
  { promptCharacters }: Pick<ResponseFrame, "promptCharacters">,
): ChatUsage {
  const reported = readUsage(usage);
  if (reported !== undefined) return reported;
  let characters = 0;
  for (const { message } of choices) characters += contentCharacters(message);
  return approximateUsage(promptCharacters, characters, "approx4");
}
