import { chatKinds, commandsOf, withSecond } from "../chat-kinds.ts";
import { chatModel, slot } from "./entries.ts";

/** In USD per million tokens. */
const pricing = { input: "1", cached_input: "0.10", cache_write_1h: "1", output: "4" };
const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
const first = { ...slot("sim", "first?status=503"), pricing: { input: "1", output: "2" } };

/** Models of every kind that serves chat, named `kind-KIND-VARIANT`. */
export function chatKindModels(): object[] {
  return chatKinds.flatMap((row) => {
    const named = (commands: string) => slot(row.provider, `${row.model}${commands}`);
    const model = (variant: string, chain: object[]) =>
      chatModel(`kind-${row.kind}${variant}`, chain, {
        vision: true,
        pricing,
        ...(row.inputs === undefined ? {} : { inputs: row.inputs }),
      });
    return [
      ...Object.entries(commandsOf(row)).map(([variant, commands]) =>
        model(
          variant,
          withSecond.includes(variant) ? [named(commands), second] : [named(commands)],
        ),
      ),
      model("-second", [first, named("")]),
    ];
  });
}
