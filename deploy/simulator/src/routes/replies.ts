import type { SimulatorRoute } from "../call.ts";
import { sendInvalidRequest } from "../error-response.ts";
import { readJsonBody } from "../json-body.ts";
import { replyForm } from "../replies.ts";

/** Registers a reply, a JSON object, under the id that ends the path. */
export const putReply: SimulatorRoute = {
  method: "PUT",
  path: "/_simulator/replies/*",
  async handle(call) {
    const { value } = await readJsonBody(call.request);
    const parsed = replyForm.safeParse(value);
    if (!parsed.success) {
      sendInvalidRequest(call, parsed.error);
      return;
    }
    const id = decodeURIComponent(call.path.slice(call.path.lastIndexOf("/") + 1));
    call.state.replies.set(id, parsed.data);
    call.response.writeHead(204).end();
  },
};
