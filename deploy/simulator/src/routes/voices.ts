import { type Route, untilClientLeaves } from "../call.ts";
import { readCommands } from "../commands.ts";
import { answerError } from "../error-answer.ts";
import { meetFaults } from "../faults.ts";
import { openEntry } from "../json-route.ts";
import { sendJson } from "../send-json.ts";

const VOICES = [
  { id: "alto", name: "Alto" },
  { id: "tenor", name: "Tenor" },
];

/** The voices of a model, which comes as a query parameter. */
export const voices: Route = {
  method: "GET",
  path: "/v1/audio/voices",
  async handle(call) {
    const model = new URLSearchParams(call.search).get("model") ?? "";
    const entry = openEntry(call, { model }, undefined);
    const commands = readCommands(model, undefined);
    if ("problem" in commands) {
      answerError(call, { status: 400, message: commands.problem }, entry);
      return;
    }
    await untilClientLeaves(call, entry, async () => {
      if (await meetFaults(call, entry, commands)) return;
      entry.status = 200;
      const value = { voices: VOICES, model: model.split("?")[0] };
      await sendJson(call, entry, commands, `${JSON.stringify(value, null, 1)}\n`);
    });
  },
};
