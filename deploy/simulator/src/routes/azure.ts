import type { SimulatorRoute } from "../call.ts";
import { sendProviderError } from "../error-response.ts";
import { chatCompletions } from "./chat-completions.ts";
import { embeddingsRoute } from "./embeddings.ts";
import { gptImagesRoute } from "./images.ts";
import { transcriptions } from "./transcriptions.ts";

/** The routes of Azure OpenAI's API, version 1: OpenAI's, with the key in a header of its own, or a token. */
export const azureRoutes: readonly SimulatorRoute[] = [
  chatCompletions,
  embeddingsRoute,
  gptImagesRoute,
  transcriptions,
].map((route) => ({
  ...route,
  path: `/azure/openai${route.path}`,
  async handle(call) {
    const { "api-key": key, authorization = "" } = call.request.headers;
    if (key && authorization === "") return route.handle(call);
    if (!key && call.state.issued.accepts(authorization)) return route.handle(call);
    call.request.resume();
    sendProviderError(call, {
      status: 401,
      code: "401",
      message: "Access denied: an api-key or a valid access token is required",
    });
  },
}));
