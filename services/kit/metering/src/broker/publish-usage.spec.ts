import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type { Broker } from "@tollgate/runtime/broker/connection";
import type { JetStreamPublishOptions, PubAck } from "nats";
import { expect, test } from "vitest";
import { decodeEvents, encodeEvents } from "../outbox/encoded-event.ts";
import { createBrokerPublish } from "./publish-usage.ts";

type Ack = Pick<PubAck, "duplicate">;

/** A broker that keeps what was published, and answers as it is told to. */
function world(answer: () => Promise<Ack>) {
  const published: { ids: string[]; options: Partial<JetStreamPublishOptions> }[] = [];
  const jetstream = () => ({
    publish(_subject: string, payload: Uint8Array, options: Partial<JetStreamPublishOptions>) {
      published.push({ ids: decodeEvents(payload).map(({ id }) => id), options });
      return answer();
    },
  });
  const broker = { connection: () => ({ jetstream }) } as unknown as Broker;
  return { published, publish: createBrokerPublish(broker, createLog("silent")) };
}

const encoded = (...ids: string[]) =>
  encodeEvents(ids.map((id) => create(UsageEventSchema, { id })));

test("events go in one message, which the first names", async () => {
  const { published, publish } = world(async () => ({ duplicate: false }));
  expect(await publish(encoded("b", "c", "d"))).toBe(true);
  expect(published).toMatchObject([{ ids: ["b", "c", "d"], options: { msgID: "b" } }]);
});

test("what the broker refuses, it has none of", async () => {
  const { publish } = world(() => Promise.reject(new Error("503")));
  expect(await publish(encoded("a"))).toBe(false);
  expect(await publish(encoded("b", "c"))).toBe(false);
});

test("a duplicate of one event was received before; the other events of a batch may not have been", async () => {
  const { publish } = world(async () => ({ duplicate: true }));
  expect(await publish(encoded("a"))).toBe(true);
  expect(await publish(encoded("b", "c"))).toBe(false);
});

test("an event's trace goes with it", async () => {
  const { published, publish } = world(async () => ({ duplicate: false }));
  expect(await publish(encoded("a"), { traceparent: "00-1-2-01" })).toBe(true);
  expect(published[0]?.options.headers?.get("traceparent")).toBe("00-1-2-01");
});

test("without a broker nothing is taken", async () => {
  const publish = createBrokerPublish(undefined, createLog("silent"));
  expect(await publish(encoded("a"))).toBe(false);
});
