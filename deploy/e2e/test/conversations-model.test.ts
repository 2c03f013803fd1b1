import { randomUUID } from "node:crypto";
import fc from "fast-check";
import pg from "pg";
import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

/** The expected state of a conversation: its user messages, or deleted. */
type Modelled = { said: string[] } | "deleted";
type Body = Record<string, unknown>;

const steps = [
  "chat",
  "stream",
  "cut",
  "fail",
  "delete",
  "deleteAll",
  "list",
  "detail",
  "chatAndDelete",
  "chatAndChat",
] as const;

const { stack } = await sharedStack();
const replica = await stack.replica();

describe("conversations under any sequence of operations", () => {
  const step = fc.record({
    what: fc.constantFrom(...steps),
    key: fc.nat(1),
    id: fc.nat(3),
    onReplica: fc.boolean(),
  });

  test("match a simple model", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (sequence) => {
      const account = await stack.newAccount(1);
      const sibling = await stack.operator.createKey({ account: account.accountId });
      const keys = [account.key, sibling.key];
      const ids = Array.from({ length: 4 }, () => randomUUID());
      const models = [new Map<string, Modelled>(), new Map<string, Modelled>()];
      for (const [index, { what, key, id, onReplica }] of sequence.entries()) {
        const world = {
          url: onReplica ? replica.url : stack.url,
          key: keys[key] as string,
          id: ids[id] as string,
          text: `step ${index}`,
        };
        await take(what, world, models[key] as Map<string, Modelled>);
      }
    });
    await fc.assert(property, { numRuns: 25 });
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      `SELECT FROM chat.turn t JOIN chat.conversation c
       ON c.key_id = t.key_id AND c.id = t.conversation_id WHERE c.deleted_at IS NOT NULL`,
    );
    await database.end();
    expect(rows).toEqual([]);
  });

  interface World {
    url: string;
    key: string;
    id: string;
    text: string;
  }

  async function take(
    what: (typeof steps)[number],
    world: World,
    model: Map<string, Modelled>,
  ): Promise<void> {
    const { url, key, id, text } = world;
    const known = model.get(id);
    if (what === "chat" || what === "stream") {
      const response = await say(world, { stream: what === "stream" });
      expect(response.status).toBe(known === "deleted" ? 404 : 200);
      if (known === "deleted") return;
      const said = [...(known?.said ?? []), text];
      model.set(id, { said });
      const call = stack.simulator.calls.list().at(-1)?.body as { messages: Body[] };
      const users = call.messages.filter(({ role }) => role === "user");
      expect(users.map(({ content }) => content)).toEqual(said);
      expect(call.messages).toHaveLength(said.length * 2 - 1);
    } else if (what === "cut" || what === "fail") {
      const more = what === "cut" ? { model: "test-cut", stream: true } : { model: "test-failing" };
      const response = await say(world, more);
      if (known === "deleted") expect(response.status).toBe(404);
      else expect(response.text).toContain('"type":"api_error"');
    } else if (what === "delete") {
      const { status } = await send(`${url}/v1/conversations/${id}`, { key, method: "DELETE" });
      expect(status).toBe(known === undefined ? 404 : 204);
      if (known !== undefined) model.set(id, "deleted");
    } else if (what === "deleteAll") {
      const { status } = await send(`${url}/v1/conversations`, { key, method: "DELETE" });
      expect(status).toBe(204);
      for (const one of model.keys()) model.set(one, "deleted");
    } else if (what === "list") await expectList(world, model);
    else if (what === "chatAndDelete") await chatAndDelete(world, model);
    else if (what === "chatAndChat") await chatAndChat(world, model);
    else await expectDetail(world, known);
  }

  /** Returns the same world on the other replica. */
  function elsewhere(world: World): World {
    return { ...world, url: world.url === stack.url ? replica.url : stack.url };
  }

  /** Either may come first; the two responses show which did. */
  async function chatAndDelete(world: World, model: Map<string, Modelled>): Promise<void> {
    const { key, id, text } = world;
    const known = model.get(id);
    const url = `${elsewhere(world).url}/v1/conversations/${id}`;
    const [said, deleted] = await Promise.all([
      say(world, {}),
      send(url, { key, method: "DELETE" }),
    ]);
    expect([200, 404]).toContain(said.status);
    if (known !== undefined) {
      if (known === "deleted") expect(said.status).toBe(404);
      expect(deleted.status).toBe(204);
      model.set(id, "deleted");
      return;
    }
    // The first turn creates the conversation; before that there is nothing to delete.
    expect([said.status, [204, 404].includes(deleted.status)]).toEqual([200, true]);
    model.set(id, deleted.status === 204 ? "deleted" : { said: [text] });
  }

  async function chatAndChat(world: World, model: Map<string, Modelled>): Promise<void> {
    const { id, text } = world;
    const known = model.get(id);
    const other = { ...elsewhere(world), text: `${text}, too` };
    const responses = await Promise.all([say(world, {}), say(other, { stream: true })]);
    const status = known === "deleted" ? 404 : 200;
    expect(responses.map((response) => response.status)).toEqual([status, status]);
    if (known === "deleted") return;
    const before = known?.said ?? [];
    const said = await readSaid(world);
    const orders = [
      [...before, text, other.text],
      [...before, other.text, text],
    ];
    expect(orders).toContainEqual(said);
    model.set(id, { said });
  }

  function say({ url, key, id, text }: World, more: Body): Promise<HttpResponse> {
    const messages = [{ role: "user", content: text }];
    const body = chatBody({ session_id: id, messages, ...more });
    return send(`${url}/v1/chat/completions`, { key, body });
  }

  async function expectList({ url, key }: World, model: ReadonlyMap<string, Modelled>) {
    const { body } = await send(`${url}/v1/conversations`, { key });
    const { data, total } = body as { data: { id: string; turn_count: number }[]; total: number };
    const live = [...model].flatMap(([id, one]) =>
      one === "deleted" ? [] : [{ id, turn_count: one.said.length }],
    );
    expect(total).toBe(live.length);
    expect(new Map(data.map((one) => [one.id, one.turn_count]))).toEqual(
      new Map(live.map((one) => [one.id, one.turn_count])),
    );
  }

  async function expectDetail({ url, key, id }: World, known: Modelled | undefined) {
    const response = await send(`${url}/v1/conversations/${id}`, { key });
    if (known === undefined || known === "deleted") {
      expect(response.status).toBe(404);
      return;
    }
    expect(saidOf(response)).toEqual(known.said);
  }

  async function readSaid({ url, key, id }: World): Promise<string[]> {
    return saidOf(await send(`${url}/v1/conversations/${id}`, { key }));
  }

  function saidOf({ body }: HttpResponse): string[] {
    const { turns } = body as { turns: { messages: { content: string }[] }[] };
    return turns.map(({ messages }) => messages[0]?.content ?? "");
  }
});
