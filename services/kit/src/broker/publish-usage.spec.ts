import { create, fromBinary } from "@bufbuild/protobuf";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type { JetStreamPublishOptions, PubAck } from "nats";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { encodeEvent } from "../metering/encoded-event.ts";
import type { Broker } from "./connection.ts";
import { createBrokerPublish } from "./publish-usage.ts";

type Ack = Pick<PubAck, "duplicate">;

/** A broker that has what was published, and answers it when it is told to. */
function world() {
  const published: { ids: string[]; options: Partial<JetStreamPublishOptions> }[] = [];
  const answers: PromiseWithResolvers<Ack>[] = [];
  const jetstream = () => ({
    publish(_subject: string, payload: Uint8Array, options: Partial<JetStreamPublishOptions>) {
      const event = fromBinary(UsageEventSchema, payload);
      published.push({ ids: [event, ...event.companions].map(({ id }) => id), options });
      const answer = Promise.withResolvers<Ack>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const broker = { connection: () => ({ jetstream }) } as unknown as Broker;
  const publish = createBrokerPublish(broker, createLog("silent"));
  const send = (id: string, trace?: { traceparent: string }) =>
    publish(encodeEvent(create(UsageEventSchema, { id })), trace);
  const sentSoFar = async (count: number) => {
    await expect.poll(() => published.length).toBe(count);
    return published.map(({ ids }) => ids);
  };
  return { published, answers, send, sentSoFar };
}

test("events of one moment go together, and wait for no message that is under way", async () => {
  const { answers, send, sentSoFar } = world();
  const first = send("a");
  await sentSoFar(1);
  const others = ["b", "c", "d"].map((id) => send(id));
  expect(await sentSoFar(2)).toEqual([["a"], ["b", "c", "d"]]);
  answers[1]?.resolve({ duplicate: false });
  expect(await Promise.all(others)).toEqual([true, true, true]);
  answers[0]?.resolve({ duplicate: false });
  expect(await first).toBe(true);
});

test("what the broker refuses, it has none of", async () => {
  const { answers, send, sentSoFar } = world();
  const alone = send("a");
  await sentSoFar(1);
  const together = [send("b"), send("c")];
  answers[0]?.reject(new Error("503"));
  expect(await alone).toBe(false);
  await sentSoFar(2);
  answers[1]?.reject(new Error("503"));
  expect(await Promise.all(together)).toEqual([false, false]);
});

test("an event that the broker knows is there; its companions may not be", async () => {
  const { answers, send, sentSoFar } = world();
  const alone = send("a");
  await sentSoFar(1);
  const together = [send("b"), send("c")];
  answers[0]?.resolve({ duplicate: true });
  expect(await alone).toBe(true);
  await sentSoFar(2);
  answers[1]?.resolve({ duplicate: true });
  expect(await Promise.all(together)).toEqual([false, false]);
});

test("an event with a trace goes alone, and its trace with it", async () => {
  const { published, answers, send, sentSoFar } = world();
  const plain = send("a");
  const traced = send("b", { traceparent: "00-1-2-01" });
  await sentSoFar(2);
  for (const answer of answers) answer.resolve({ duplicate: false });
  expect(await Promise.all([plain, traced])).toEqual([true, true]);
  const one = published.find(({ ids }) => ids[0] === "b");
  expect(one?.ids).toEqual(["b"]);
  expect(one?.options.headers?.get("traceparent")).toBe("00-1-2-01");
});

test("without a broker nothing is taken", async () => {
  const publish = createBrokerPublish(undefined, createLog("silent"));
  expect(await publish(encodeEvent(create(UsageEventSchema, { id: "a" })))).toBe(false);
});
