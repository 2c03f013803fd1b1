import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOutbox } from "./outbox.ts";

const log = createLog("silent");
const event = (id: string) => create(UsageEventSchema, { id });

/** A broker, a ledger and a disk that can fail, what each of them has, and how it was sent. */
function world({ hasBroker = true, missingAfterMs = 0, gathers = true } = {}) {
  const up = { broker: hasBroker, ledger: true, disk: true };
  const has = { broker: new Set<string>(), ledger: new Set<string>(), disk: new Set<string>() };
  const poison = new Set<string>();
  const together: string[][] = [];
  const ledger = { response: Promise.resolve() };
  const metrics = createMetrics();
  const outbox = createOutbox(
    {
      brokerIsUp: () => hasBroker,
      async publishToBroker(events) {
        together.push(events.map(({ id }) => id));
        if (up.broker) for (const { id } of events) has.broker.add(id);
        return up.broker;
      },
      async recordInLedger(events) {
        together.push(events.map(({ id }) => id));
        await ledger.response;
        if (!up.ledger) throw new Error("the ledger is down");
        if (events.some(({ id }) => poison.has(id))) throw new GatewayError("invalid_param", "no");
        for (const { id } of events) has.ledger.add(id);
      },
      async findMissing(ids) {
        if (!up.ledger) throw new Error("the ledger is down");
        return new Set(ids.filter((id) => !has.ledger.has(id)));
      },
      eventLog: {
        append(events) {
          if (!up.disk) throw new Error("the disk is full");
          for (const { id } of events) has.disk.add(id);
        },
        remove(id) {
          has.disk.delete(id);
        },
      },
      log,
      metrics,
    },
    { missingAfterMs, gathers },
  );
  /** The ledger consumes what the broker has. */
  const consume = () => {
    for (const id of has.broker) has.ledger.add(id);
  };
  return { up, has, poison, together, ledger, outbox, consume };
}

test("an event that the broker acknowledged stays on disk until the ledger has it", async () => {
  const { has, outbox, consume } = world();
  await outbox.send(event("a"));
  expect([...has.disk]).toEqual(["a"]);
  expect([...has.ledger]).toEqual([]);
  consume();
  await outbox.reconcile(true);
  expect([outbox.size(), [...has.disk]]).toEqual([0, []]);
});

test.each([
  true,
  false,
])("events of one turn are sent together, with a broker: %s", async (hasBroker) => {
  const { together, outbox } = world({ hasBroker });
  const first = outbox.send(event("a"));
  await new Promise(setImmediate);
  await Promise.all([first, ...["b", "c", "d"].map((id) => outbox.send(event(id)))]);
  expect(together).toEqual([["a"], ["b", "c", "d"]]);
});

test("each event is sent alone when they are not gathered", async () => {
  const { together, outbox } = world({ gathers: false });
  await Promise.all(["a", "b"].map((id) => outbox.send(event(id))));
  expect(together).toEqual([["a"], ["b"]]);
});

test("an event that the broker lost is sent to the ledger", async () => {
  const { has, outbox } = world();
  await outbox.send(event("a"));
  has.broker.clear();
  await outbox.reconcile(true);
  await outbox.reconcile(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("a process that stops soon sends the ledger what it lacks of the published events", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { has, outbox } = world({ missingAfterMs: 60_000 });
  await outbox.send(event("a"));
  vi.advanceTimersByTime(3_000);
  await outbox.reconcile(false);
  expect([...has.ledger]).toEqual([]);
  await outbox.reconcile(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("without a broker an event is recorded at once, and removed from disk", async () => {
  const { has, outbox } = world({ hasBroker: false });
  await outbox.send(event("a"));
  await vi.waitFor(() => {
    expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
  });
});

test("without a broker an event on disk does not wait for a slow ledger", async () => {
  const { has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.response = slow.promise;
  await outbox.send(event("a"));
  expect([[...has.disk], outbox.size(), outbox.unsent()]).toEqual([["a"], 1, 1]);
  slow.resolve();
  await vi.waitFor(() => {
    expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
  });
});

test("an event on disk is delivered later when the ledger fails", async () => {
  const { up, has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.response = slow.promise;
  await outbox.send(event("a"));
  up.ledger = false;
  slow.resolve();
  await outbox.reconcile(true);
  expect([[...has.disk], outbox.unsent()]).toEqual([["a"], 1]);
  up.ledger = true;
  await outbox.reconcile(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("without a disk an event waits for the ledger, however slow", async () => {
  const { up, has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.response = slow.promise;
  up.disk = false;
  let isSent = false;
  const sent = outbox.send(event("a")).then(() => {
    isSent = true;
  });
  await new Promise(setImmediate);
  expect(isSent).toBe(false);
  slow.resolve();
  await sent;
  expect([...has.ledger]).toEqual(["a"]);
});

test("when many events wait for a slow ledger, further ones wait too and do not pile up on disk", async () => {
  const { has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.response = slow.promise;
  const sent: string[] = [];
  const ids = Array.from({ length: 600 }, (_, index) => `event-${index}`);
  const sending = ids.map((id) => outbox.send(event(id)).then(() => void sent.push(id)));
  await vi.waitFor(() => expect(sent).toEqual(ids.slice(0, 512)));
  expect([...has.disk]).toEqual(sent);
  slow.resolve();
  await Promise.all(sending);
  expect([...has.ledger]).toEqual(ids);
});

test("an event that cannot be delivered stays on disk, and is delivered later", async () => {
  const { up, has, outbox } = world();
  up.broker = false;
  up.ledger = false;
  await outbox.send(event("a"));
  expect([[...has.disk], outbox.unsent()]).toEqual([["a"], 1]);
  up.broker = true;
  await outbox.reconcile(true);
  expect([[...has.broker], outbox.unsent()]).toEqual([["a"], 0]);
});

test("an event that is neither delivered nor on disk is not reported as durable", async () => {
  const { up, has, outbox } = world();
  up.broker = false;
  up.ledger = false;
  up.disk = false;
  let isSent = false;
  const sent = outbox.send(event("a")).then(() => {
    isSent = true;
  });
  await new Promise(setImmediate);
  await outbox.reconcile(true);
  expect(isSent).toBe(false);
  up.ledger = true;
  await vi.waitFor(async () => {
    await outbox.reconcile(true);
    expect([...has.ledger]).toEqual(["a"]);
  });
  await sent;
});

test("an event that the ledger refuses does not delay others", async () => {
  const { up, has, poison, outbox } = world({ hasBroker: false });
  up.ledger = false;
  poison.add("bad");
  for (const id of ["a", "bad", "b"]) await outbox.send(event(id));
  up.ledger = true;
  await outbox.reconcile(true);
  expect([...has.ledger]).toEqual(["a", "b"]);
  expect([outbox.unsent(), [...has.disk]]).toEqual([1, ["bad"]]);
});

test("an event that the ledger refuses does not delay others of its turn, also without a disk", async () => {
  const { up, has, poison, outbox } = world({ hasBroker: false });
  up.disk = false;
  poison.add("bad");
  const [a, bad, b] = ["a", "bad", "b"].map((id) => outbox.send(event(id)));
  await Promise.all([a, b]);
  expect([[...has.ledger], outbox.unsent()]).toEqual([["a", "b"], 1]);
  poison.clear();
  await outbox.reconcile(true);
  await bad;
  expect([...has.ledger]).toEqual(["a", "b", "bad"]);
});

test("events that the broker refuses wait for a slow ledger too when many wait", async () => {
  const { up, ledger, outbox } = world();
  const slow = Promise.withResolvers<void>();
  ledger.response = slow.promise;
  up.broker = false;
  const sent: string[] = [];
  const sending: Promise<void>[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    for (let index = 0; index < 100; index += 1) {
      const id = `${turn}-${index}`;
      sending.push(outbox.send(event(id)).then(() => void sent.push(id)));
    }
    await new Promise(setImmediate);
  }
  await vi.waitFor(() => expect(sent).toHaveLength(500));
  await new Promise(setImmediate);
  expect(sent).toHaveLength(500);
  slow.resolve();
  await Promise.all(sending);
});

test("events of one turn that the broker refuses are sent to the ledger in one call", async () => {
  const { up, has, together, outbox } = world();
  up.broker = false;
  await Promise.all(["a", "b"].map((id) => outbox.send(event(id))));
  expect(together).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect([...has.ledger]).toEqual(["a", "b"]);
});

test("whatever fails in whatever order, no event that was reported as durable is lost", async () => {
  const step = fc.oneof(
    fc.constantFrom("send", "send", "send three", "reconcile", "consume", "wipe" as const),
    fc.constantFrom("broker", "ledger", "disk" as const),
  );
  const setting = fc.record({ hasBroker: fc.boolean(), gathers: fc.boolean() });
  const steps = fc.array(step, { maxLength: 40 });
  const property = fc.asyncProperty(setting, steps, fc.boolean(), async (of, todo, isRefused) => {
    const { up, has, poison, outbox, consume } = world(of);
    const durableIds: string[] = [];
    let diskWasAway = false;
    const sending: Promise<void>[] = [];
    const send = (id: string) => outbox.send(event(id)).then(() => void durableIds.push(id));
    if (isRefused) poison.add("1-1");
    for (const [index, what] of todo.entries()) {
      if (what === "send" || what === "send three") {
        const ids = what === "send" ? [0] : [0, 1, 2];
        sending.push(...ids.map((part) => send(`${index}-${part}`)));
        await Promise.race([Promise.all(sending), new Promise(setImmediate)]);
      } else if (what === "reconcile") await outbox.reconcile(true);
      else if (what === "consume") consume();
      // With a broken disk the broker is the only one that has it.
      else if (what === "wipe") {
        if (!diskWasAway) has.broker.clear();
      } else up[what] = !up[what];
      diskWasAway ||= !up.disk;
      // If the process were killed now, every durable event would be on disk, in the broker or in
      // the ledger.
      for (const id of durableIds) {
        expect(has.disk.has(id) || has.ledger.has(id) || has.broker.has(id)).toBe(true);
      }
    }
    Object.assign(up, { broker: true, ledger: true, disk: true });
    poison.clear();
    for (let round = 0; round < 3; round += 1) await outbox.reconcile(true);
    await Promise.all(sending);
    for (const id of durableIds) expect(has.ledger.has(id)).toBe(true);
    expect([outbox.size(), has.disk.size]).toEqual([0, 0]);
  });
  await fc.assert(property, { numRuns: 300 });
});
