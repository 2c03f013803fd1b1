import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type { Broker } from "@tollgate/runtime/broker/connection";
import type { JetStreamPublishOptions, PubAck } from "nats";
import { expect, test } from "vitest";
import { decodeEvents, encodeEvents } from "../outbox/encoded-event.ts";
import { createBatchMac } from "./batch-mac.ts";
import { createBrokerPublish } from "./publish-usage.ts";

type Ack = Pick<PubAck, "duplicate">;

/** Creates a broker that records what is published, and acknowledges it by `acknowledge`. */
function world(acknowledge: () => Promise<Ack>) {
  const published: {
    payload: Uint8Array;
    ids: string[];
    options: Partial<JetStreamPublishOptions>;
  }[] = [];
  const jetstream = () => ({
    publish(_subject: string, payload: Uint8Array, options: Partial<JetStreamPublishOptions>) {
      published.push({ payload, ids: decodeEvents(payload).map(({ id }) => id), options });
      return acknowledge();
    },
  });
  const broker = { connection: () => ({ jetstream }) } as unknown as Broker;
  const mac = createBatchMac("secret");
  return { published, mac, publish: createBrokerPublish({ broker, mac }, createLog("silent")) };
}

const encoded = (...ids: string[]) =>
  encodeEvents(ids.map((id) => create(UsageEventSchema, { id })));

test("events are sent in one message, whose id is that of the first", async () => {
  const { published, publish } = world(async () => ({ duplicate: false }));
  expect(await publish(encoded("b", "c", "d"))).toBe(true);
  expect(published).toMatchObject([{ ids: ["b", "c", "d"], options: { msgID: "b" } }]);
});

test("events that the broker refuses are not published", async () => {
  const { publish } = world(() => Promise.reject(new Error("503")));
  expect(await publish(encoded("a"))).toBe(false);
  expect(await publish(encoded("b", "c"))).toBe(false);
});

test("a duplicate of a single event is published; the other events of a duplicate batch may not be", async () => {
  const { publish } = world(async () => ({ duplicate: true }));
  expect(await publish(encoded("a"))).toBe(true);
  expect(await publish(encoded("b", "c"))).toBe(false);
});

test("an event is sent with its trace", async () => {
  const { published, publish } = world(async () => ({ duplicate: false }));
  expect(await publish(encoded("a"), { traceparent: "00-1-2-01" })).toBe(true);
  expect(published[0]?.options.headers?.get("traceparent")).toBe("00-1-2-01");
});

test("events are sent with the MAC of their message", async () => {
  const { published, publish, mac } = world(async () => ({ duplicate: false }));
  await publish(encoded("a", "b"));
  const [{ payload, options } = { payload: Buffer.alloc(0), options: {} }] = published;
  expect(mac.admits(payload, options.headers?.get("Tollgate-Mac"))).toBe(true);
});

test("without a broker nothing is published", async () => {
  const publish = createBrokerPublish(undefined, createLog("silent"));
  expect(await publish(encoded("a"))).toBe(false);
});
