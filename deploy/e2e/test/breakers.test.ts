import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack, account, chat } = await sharedStack();

const alertsFile = new URL("../../../charts/tollgate/files/alerts.yaml", import.meta.url);
const messages = [{ role: "user", content: "Hello there" }];

/** Ways in which a customer makes its own calls fail, each at a model with a single slot. */
const attacks = [
  ["empty answers", "empty", "/v1/chat/completions", "no_choices"],
  ["failed responses", "failed", "/v1/responses", "response_failed=0"],
  ["timeouts", "silent", "/v1/chat/completions", "hang"],
] as const;

function call(path: string, model: string, { key }: TestAccount, more: object = {}) {
  const body = path === "/v1/responses" ? { input: "Hello there" } : { messages };
  return send(`${stack.url}${path}`, { key, body: JSON.stringify({ model, ...body, ...more }) });
}

describe("the failures of one customer", () => {
  test.each(attacks)("do not take a slot from another: %s", async (_, name, path, command) => {
    const attackers = await Promise.all([stack.newAccount(1), stack.newAccount(1)]);
    const victim = await stack.newAccount(1);
    const attack = async () => {
      const fail = (attacker: TestAccount) =>
        call(path, `test-attacked-${name}`, attacker, simulate(command));
      const wave = [...attackers, ...attackers, ...attackers, ...attackers, ...attackers];
      const failed = await Promise.all(wave.map(fail));
      // Whoever has failed waits for a trial call of its own, which may be due already.
      const isDenied = async (attacker: TestAccount) =>
        expectEnvelope(await fail(attacker), 503, "no_provider_available");
      await Promise.all(attackers.map((one) => eventually(() => isDenied(one))));
      return failed;
    };
    const use = async (times: number) => {
      const responses: HttpResponse[] = [];
      for (let time = 0; time < times; time += 1) {
        const twice = [victim, victim].map((one) => call(path, `test-attacked-${name}`, one));
        responses.push(...(await Promise.all(twice)));
      }
      return responses.map(({ status }) => status);
    };
    expect(await use(1)).toEqual([200, 200]);
    const [failed, during] = await Promise.all([attack(), use(10)]);
    expect(failed.filter(({ status }) => status < 500)).toEqual([]);
    expect([...during, ...(await use(10))]).toEqual(Array(40).fill(200));
  });
});

describe("a provider's key that expires", () => {
  const overview = async (more: object = {}) => {
    const hour = 3_600_000;
    const from = { seconds: BigInt(Math.floor(Date.now() / hour) * 3_600), nanos: 0 };
    const to = { seconds: from.seconds + 3_600n, nanos: 0 };
    return stack.operator.readOverview({ from, to, ...more });
  };

  const metrics = async () => (await readMetrics(stack.operationsUrls)).join("\n");

  test("in the middle of a load costs no request, and is named to the operator", async () => {
    const waves: number[] = [];
    for (let wave = 0; wave < 6; wave += 1) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => chat("test-lapsed")));
      waves.push(...responses.map(({ status }) => status));
    }
    expect(waves).toEqual(Array(60).fill(200));
    const called = stack.simulator.calls.list().filter(({ model }) => model?.startsWith("lapsed"));
    expect(called.length).toBeGreaterThan(20);
    expect(called.length).toBeLessThanOrEqual(30);
    // The key is that of the provider's other slots, too.
    expect((await chat("test-lapsed-too")).status).toBe(200);
    expect(stack.simulator.calls.list().at(-1)?.model).toBe("after-lapsed");
    await eventually(async () => {
      // Other files of the stack have refused keys of their own.
      const { refusedKeys } = await overview();
      const refused = refusedKeys.find(({ provider }) => provider === "lapsed");
      expect(refused).toMatchObject({ said: "Incorrect API key provided: [key].", status: 401 });
      expect(refused?.since?.seconds).toBeGreaterThan(0n);
    });
    await eventually(async () => {
      const { outSlots } = await overview();
      expect(outSlots).toContainEqual(
        expect.objectContaining({ slotId: "lapsed/too", processes: expect.any(Number) }),
      );
    });
    const own = await overview({ account: account.accountId });
    expect([own.refusedKeys, own.outSlots]).toEqual([[], []]);
    const alerts = await readFile(alertsFile, "utf8");
    expect(alerts).toContain(
      "expr: max by (namespace, provider, key) (tollgate_provider_key_refused) == 1\n",
    );
    expect(await metrics()).toMatch(
      /^tollgate_provider_key_refused\{provider="lapsed",key=""\} 1$/m,
    );
    expect(await metrics()).toMatch(/^tollgate_slot_out\{slot="lapsed\/too"\} 1$/m);
  });
});
