import { servableModel } from "@tollgate/catalog/model";
import { wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { parseChat } from "./parse-chat.ts";

/** POST /v1/chat/completions. */
export function createChatCompletion(
  dependencies: RouteDependencies,
  rules: HandlerRules,
): KeyedHandler {
  const { catalog } = dependencies;
  return wireHandler(dependencies, rules, {
    conversationOf: ({ session_id: id }) => (typeof id === "string" ? id.toLowerCase() : undefined),
    parse(json, body, { models }) {
      return parseChat(json, body, (alias) => servableModel(catalog(), alias, "chat", models));
    },
  });
}
