import { GatewayError, invalidParam } from "@tollgate/core/errors";

/** What the operator chooses of a key, besides its channel and its limits. */
export interface KeyPolicy {
  name: string;
  owner: string;
  tags: string[];
  models: string[];
  expiresAt: Date | null;
}

/** The channels of a key; empty is an ordinary key. */
const channels: ReadonlySet<string> = new Set(["", "settlement"]);

const maxNameLength = 128;
const maxTags = 20;
const maxTagLength = 64;
const maxModels = 100;
const maxModelLength = 200;

/** Throws `invalid_param` for an unknown channel. */
export function checkChannel(channel: string): void {
  if (channels.has(channel)) return;
  const message = "A key's channel is settlement or empty.";
  throw new GatewayError("invalid_param", message, { param: "channel" });
}

/** Throws `invalid_param` for the first field that is not valid. */
export function checkPolicy(policy: Partial<KeyPolicy>, now: Date): void {
  checkText("name", policy.name);
  checkText("owner", policy.owner);
  checkList("tags", policy.tags, maxTags, maxTagLength);
  checkList("models", policy.models, maxModels, maxModelLength);
  const { expiresAt } = policy;
  if (expiresAt && !(expiresAt > now)) throw invalidParam("expires_at", "must be in the future");
}

function checkText(param: string, text = ""): void {
  if (text.length <= maxNameLength && !hasControl(text)) return;
  const problem = `must have at most ${maxNameLength} characters, and no control characters`;
  throw invalidParam(param, problem);
}

function checkList(param: string, values: readonly string[] = [], most: number, length: number) {
  if (values.length > most) throw invalidParam(param, `must have at most ${most} members`);
  for (const value of values) {
    if (value !== "" && value.length <= length && !/\s/.test(value) && !hasControl(value)) continue;
    const problem = `must have members of 1 to ${length} characters without spaces`;
    throw invalidParam(param, problem);
  }
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
