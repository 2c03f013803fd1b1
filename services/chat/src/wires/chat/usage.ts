import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { approximateUsage } from "../../usage/usage.ts";
import type { ResponseFrame } from "../response-frame.ts";
import { contentCharacters } from "./content.ts";
import type { WithChoices } from "./provider-response.ts";

/** Returns the usage that a completion reports, else an estimate by its characters. */
export function usageOf(
  { usage, choices }: WithChoices,
  frame: Pick<ResponseFrame, "promptCharacters" | "readUsage">,
): ChatUsage {
  const reported = frame.readUsage(usage);
  if (reported !== undefined) return reported;
  let characters = 0;
  for (const { message } of choices) characters += contentCharacters(message);
  return approximateUsage(frame.promptCharacters, characters, "approx4");
}
