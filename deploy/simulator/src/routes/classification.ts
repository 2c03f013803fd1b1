import { z } from "zod";
import { jsonRoute } from "../json-route.ts";

const request = z.object({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  taxonomy: z.string().optional(),
  both_versions: z.boolean().optional(),
  types: z.array(z.string()).min(1).optional(),
});

/** Classifies the input; with `types`, extracts every capitalized word as an entity. */
export const classificationRoute = jsonRoute("/v1/classification", request, (body, commands) => {
  const inputs = [body.input].flat();
  const { types } = body;
  const results =
    types === undefined ? inputs.map(labelsOf) : inputs.map((text) => entitiesOf(text, types));
  return {
    model: body.model,
    results,
    ...(commands.pages === undefined ? {} : { pages: commands.pages }),
  };
});

const LABELS = ["Arts", "Business", "Science", "Sports"];

function labelsOf(text: string): object {
  const label = LABELS[text.length % LABELS.length];
  return { labels: [{ id: String(text.length % LABELS.length), label, score: 0.9 }] };
}

function entitiesOf(text: string, types: readonly string[]): object {
  const entities = [...text.matchAll(/\b[A-Z]\w+/g)].map(({ 0: word, index }) => ({
    type: types[index % types.length],
    text: word,
    start: index,
    end: index + word.length,
  }));
  return { entities };
}
