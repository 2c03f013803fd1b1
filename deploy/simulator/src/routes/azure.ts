import type { Route } from "../call.ts";
import { sendError } from "../error-response.ts";
import { chatCompletions } from "./chat-completions.ts";
import { embeddings } from "./embeddings.ts";
import { images } from "./images.ts";

/** The routes of Azure OpenAI's API, version 1: OpenAI's, with the key in a header of its own. */
export const azureRoutes: readonly Route[] = [chatCompletions, embeddings, images].map((route) => ({
  ...route,
  path: `/azure/openai${route.path}`,
  async handle(call) {
    const { "api-key": key, authorization } = call.request.headers;
    if (key && authorization === undefined) return route.handle(call);
    call.request.resume();
    sendError(call, { status: 401, code: "401", message: "Access denied: api-key is required" });
  },
}));
