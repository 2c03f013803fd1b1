import { create } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import { ChatCallSchema } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { chatSlotBody } from "./body.ts";

type Field = Slot["maxTokensField"];

test.each<[slot: Field, client: string, sent: string]>([
  [undefined, "", "max_completion_tokens"],
  [undefined, "max_tokens", "max_tokens"],
  [undefined, "max_completion_tokens", "max_completion_tokens"],
  ["max_tokens", "", "max_tokens"],
  ["max_tokens", "max_completion_tokens", "max_tokens"],
  ["max_completion_tokens", "max_tokens", "max_completion_tokens"],
])("for a slot with field %s, a ceiling sent as %j is forwarded as %s", (maxTokensField, client, sent) => {
  const slot = { upstreamModel: "big", maxTokensField } as Slot;
  const call = create(ChatCallSchema, {
    body: Buffer.from('{"seed":1}'),
    messages: ["[", '{"role":"us', 'er","content":"x"}]'].map((piece) => Buffer.from(piece)),
    maxTokensField: client,
  });
  // A second attempt is sent the same body.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const chunks = chatSlotBody(call, slot, undefined, { isStream: false, maxTokens: 7n });
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({
      model: "big",
      [sent]: 7,
      seed: 1,
      messages: [{ role: "user", content: "x" }],
    });
  }
});
