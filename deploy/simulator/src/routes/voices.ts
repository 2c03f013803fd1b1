import type { SimulatorRoute } from "../call.ts";
import { injectFaults } from "../faults.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";

const VOICES = [
  { id: "alto", name: "Alto" },
  { id: "tenor", name: "Tenor" },
];

/** Lists the voices of a model. The model is a query parameter. */
export const voices: SimulatorRoute = {
  method: "GET",
  path: "/v1/audio/voices",
  async handle(call) {
    const model = new URLSearchParams(call.search).get("model") ?? "";
    const recorded = recordCall(call, { model }, undefined);
    await runCommanded(call, recorded, { model }, async (commands) => {
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 200;
      const value = { voices: VOICES, model: model.split("?")[0] };
      await sendJson(call, recorded, commands, prettyJson(value));
    });
  },
};
