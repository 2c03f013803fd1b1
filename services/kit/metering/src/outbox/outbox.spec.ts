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

/** A broker, a ledger and a disk that can be away, what each of them has, and how it was sent. */
function world({ hasBroker = true, missingAfterMs = 0, gathers = true } = {}) {
  const up = { broker: hasBroker, ledger: true, disk: true };
  const has = { broker: new Set<string>(), ledger: new Set<string>(), disk: new Set<string>() };
  const poison = new Set<string>();
  const together: string[][] = [];
  const ledger = { answers: Promise.resolve() };
  const metrics = createMetrics();
  const outbox = createOutbox(
    {
      brokerIsUp: () => hasBroker,
      async toBroker(events) {
        together.push(events.map(({ id }) => id));
        if (up.broker) for (const { id } of events) has.broker.add(id);
        return up.broker;
      },
      async toLedger(events) {
        together.push(events.map(({ id }) => id));
        await ledger.answers;
        if (!up.ledger) throw new Error("the ledger is away");
        if (events.some(({ id }) => poison.has(id))) throw new GatewayError("invalid_param", "no");
        for (const { id } of events) has.ledger.add(id);
      },
      async missing(ids) {
        if (!up.ledger) throw new Error("the ledger is away");
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
  /** The ledger reads what the broker has. */
  const consume = () => {
    for (const id of has.broker) has.ledger.add(id);
  };
  const waiting = async () => (await metrics.usageEventsWaiting.get()).values[0]?.value;
  return { up, has, poison, together, ledger, outbox, consume, waiting };
}

test("an event that the broker took stays on disk until the ledger has it", async () => {
  const { has, outbox, consume } = world();
  await outbox.send(event("a"));
  expect([...has.disk]).toEqual(["a"]);
  expect([...has.ledger]).toEqual([]);
  consume();
  await outbox.look(true);
  expect([outbox.size(), [...has.disk]]).toEqual([0, []]);
});

test.each([true, false])("events of one moment go together, broker %s", async (hasBroker) => {
  const { together, outbox } = world({ hasBroker });
  const first = outbox.send(event("a"));
  await new Promise(setImmediate);
  await Promise.all([first, ...["b", "c", "d"].map((id) => outbox.send(event(id)))]);
  expect(together).toEqual([["a"], ["b", "c", "d"]]);
});

test("each goes alone where they are not to be gathered", async () => {
  const { together, outbox } = world({ gathers: false });
  await Promise.all(["a", "b"].map((id) => outbox.send(event(id))));
  expect(together).toEqual([["a"], ["b"]]);
});

test("what the broker lost is handed to the ledger", async () => {
  const { has, outbox } = world();
  await outbox.send(event("a"));
  has.broker.clear();
  await outbox.look(true);
  await outbox.look(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("a process that ends hands over soon what the ledger lacks of the broker's", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { has, outbox } = world({ missingAfterMs: 60_000 });
  await outbox.send(event("a"));
  vi.advanceTimersByTime(3_000);
  await outbox.look(false);
  expect([...has.ledger]).toEqual([]);
  await outbox.look(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("without a broker the ledger has it at once, and the disk no longer", async () => {
  const { has, outbox } = world({ hasBroker: false });
  await outbox.send(event("a"));
  await vi.waitFor(() => {
    expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
  });
});

test("without a broker an event on disk does not wait for a slow ledger", async () => {
  const { has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.answers = slow.promise;
  await outbox.send(event("a"));
  expect([[...has.disk], outbox.size(), outbox.unsent()]).toEqual([["a"], 1, 1]);
  slow.resolve();
  await vi.waitFor(() => {
    expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
  });
});

test("what is on disk when the ledger fails goes out later", async () => {
  const { up, has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.answers = slow.promise;
  await outbox.send(event("a"));
  up.ledger = false;
  slow.resolve();
  await outbox.look(true);
  expect([[...has.disk], outbox.unsent()]).toEqual([["a"], 1]);
  up.ledger = true;
  await outbox.look(true);
  expect([[...has.ledger], outbox.size(), [...has.disk]]).toEqual([["a"], 0, []]);
});

test("with no disk the ledger is waited for, however slow", async () => {
  const { up, has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.answers = slow.promise;
  up.disk = false;
  let safe = false;
  const sent = outbox.send(event("a")).then(() => {
    safe = true;
  });
  await new Promise(setImmediate);
  expect(safe).toBe(false);
  slow.resolve();
  await sent;
  expect([...has.ledger]).toEqual(["a"]);
});

test("while some wait for a slow ledger, more wait with them, and pile up nowhere", async () => {
  const { has, ledger, outbox } = world({ hasBroker: false });
  const slow = Promise.withResolvers<void>();
  ledger.answers = slow.promise;
  const safe: string[] = [];
  const ids = Array.from({ length: 600 }, (_, index) => `event-${index}`);
  const sending = ids.map((id) => outbox.send(event(id)).then(() => void safe.push(id)));
  await vi.waitFor(() => expect(safe).toEqual(ids.slice(0, 512)));
  expect([...has.disk]).toEqual(safe);
  slow.resolve();
  await Promise.all(sending);
  expect([...has.ledger]).toEqual(ids);
});

test("what nobody takes is safe on disk, and goes out when somebody is back", async () => {
  const { up, has, outbox } = world();
  up.broker = false;
  up.ledger = false;
  await outbox.send(event("a"));
  expect([[...has.disk], outbox.unsent()]).toEqual([["a"], 1]);
  up.broker = true;
  await outbox.look(true);
  expect([[...has.broker], outbox.unsent()]).toEqual([["a"], 0]);
});

test("with no place at all an event is waited for", async () => {
  const { up, has, outbox } = world();
  up.broker = false;
  up.ledger = false;
  up.disk = false;
  let safe = false;
  const sent = outbox.send(event("a")).then(() => {
    safe = true;
  });
  await new Promise(setImmediate);
  await outbox.look(true);
  expect(safe).toBe(false);
  up.ledger = true;
  await vi.waitFor(async () => {
    await outbox.look(true);
    expect([...has.ledger]).toEqual(["a"]);
  });
  await sent;
});

test("an event that the ledger refuses keeps no other back", async () => {
  const { up, has, poison, outbox } = world({ hasBroker: false });
  up.ledger = false;
  poison.add("bad");
  for (const id of ["a", "bad", "b"]) await outbox.send(event(id));
  up.ledger = true;
  await outbox.look(true);
  expect([...has.ledger]).toEqual(["a", "b"]);
  expect([outbox.unsent(), [...has.disk]]).toEqual([1, ["bad"]]);
});

test("one that the ledger refuses keeps none of its moment back, also where there is no disk", async () => {
  const { up, has, poison, outbox } = world({ hasBroker: false });
  up.disk = false;
  poison.add("bad");
  const [a, bad, b] = ["a", "bad", "b"].map((id) => outbox.send(event(id)));
  await Promise.all([a, b]);
  expect([[...has.ledger], outbox.unsent()]).toEqual([["a", "b"], 1]);
  poison.clear();
  await outbox.look(true);
  await bad;
  expect([...has.ledger]).toEqual(["a", "b", "bad"]);
});

test("those that a broker refuses wait for a slow ledger too, where many wait", async () => {
  const { up, ledger, outbox } = world();
  const slow = Promise.withResolvers<void>();
  ledger.answers = slow.promise;
  up.broker = false;
  const safe: string[] = [];
  const sending: Promise<void>[] = [];
  for (let moment = 0; moment < 8; moment += 1) {
    for (let index = 0; index < 100; index += 1) {
      const id = `${moment}-${index}`;
      sending.push(outbox.send(event(id)).then(() => void safe.push(id)));
    }
    await new Promise(setImmediate);
  }
  await vi.waitFor(() => expect(safe).toHaveLength(500));
  await new Promise(setImmediate);
  expect(safe).toHaveLength(500);
  slow.resolve();
  await Promise.all(sending);
});

test("a moment that the broker refuses goes to the ledger in one call", async () => {
  const { up, has, together, outbox } = world();
  up.broker = false;
  await Promise.all(["a", "b"].map((id) => outbox.send(event(id))));
  expect(together).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect([...has.ledger]).toEqual(["a", "b"]);
});

test("whatever fails in whatever order, nothing that was told safe is lost", async () => {
  const step = fc.oneof(
    fc.constantFrom("send", "send", "send three", "look", "consume", "wipe" as const),
    fc.constantFrom("broker", "ledger", "disk" as const),
  );
  const setting = fc.record({ hasBroker: fc.boolean(), gathers: fc.boolean() });
  const steps = fc.array(step, { maxLength: 40 });
  const property = fc.asyncProperty(setting, steps, fc.boolean(), async (of, todo, isRefused) => {
    const { up, has, poison, outbox, consume } = world(of);
    const told: string[] = [];
    let diskWasAway = false;
    const sending: Promise<void>[] = [];
    const send = (id: string) => outbox.send(event(id)).then(() => void told.push(id));
    if (isRefused) poison.add("1-1");
    for (const [index, what] of todo.entries()) {
      if (what === "send" || what === "send three") {
        const ids = what === "send" ? [0] : [0, 1, 2];
        sending.push(...ids.map((part) => send(`${index}-${part}`)));
        await Promise.race([Promise.all(sending), new Promise(setImmediate)]);
      } else if (what === "look") await outbox.look(true);
      else if (what === "consume") consume();
      // With a broken disk the broker is the only one that has it.
      else if (what === "wipe") {
        if (!diskWasAway) has.broker.clear();
      } else up[what] = !up[what];
      diskWasAway ||= !up.disk;
      // Were the process killed now, the disk and the others have what was told safe.
      for (const id of told) {
        expect(has.disk.has(id) || has.ledger.has(id) || has.broker.has(id)).toBe(true);
      }
    }
    Object.assign(up, { broker: true, ledger: true, disk: true });
    poison.clear();
    for (let round = 0; round < 3; round += 1) await outbox.look(true);
    await Promise.all(sending);
    for (const id of told) expect(has.ledger.has(id)).toBe(true);
    expect([outbox.size(), has.disk.size]).toEqual([0, 0]);
  });
  await fc.assert(property, { numRuns: 300 });
});
