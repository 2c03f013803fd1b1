import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack, account } = await sharedStack();

describe("the slots of the catalog", () => {
  const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);

  async function chat(model: string) {
    return send(`${stack.url}/v1/chat/completions`, {
      key: account.key,
      body: chatBody({ model }),
    });
  }

  /** Resolves with the model of the provider that serves a request. */
  async function servedBy(model: string): Promise<string | undefined> {
    const id = requestIdOf(await chat(model)) ?? "";
    return eventually(async () => {
      const { requests } = await stack.operator.getRequest({ id });
      return requests[0]?.upstreamModel;
    });
  }

  async function slotsOf(alias: string) {
    const { models } = await stack.operator.listModels({});
    return models.find((model) => model.alias === alias)?.slots ?? [];
  }

  test("that an operator disables are skipped until they are enabled again", async () => {
    expect(await servedBy("test-switched")).toBe("switched");
    const change = { slot: "sim/switched", isDisabled: true, reason: "too slow" };
    const { state } = await stack.operator.updateSlot(change);
    expect(state).toMatchObject({ disabled: { reason: "too slow" } });
    await eventually(async () => {
      expect(await servedBy("test-switched")).toBe("after-switched");
    });
    const [first, second] = await slotsOf("test-switched");
    expect(first?.state).toMatchObject({
      slotId: "sim/switched",
      disabled: { reason: "too slow" },
    });
    expect(second?.state?.disabled).toBeUndefined();
    await stack.operator.updateSlot({ slot: "sim/switched", isDisabled: false });
    await eventually(async () => {
      expect(await servedBy("test-switched")).toBe("switched");
    });
    const { records } = await stack.operator.listAudit({ limit: 100 });
    const changes = records.filter(({ subjectId }) => subjectId === "sim/switched");
    expect(changes.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).toEqual([
      [{ is_disabled: true, reason: "too slow" }, { is_disabled: false }],
      [{ is_disabled: false }, { is_disabled: true, reason: "too slow" }],
    ]);
  });

  test("are listed with open breakers, and with the calls and errors of the last day", async () => {
    const calls = 5;
    for (let call = 0; call < calls; call += 1)
      expect((await chat("test-tripped")).status).toBe(200);
    await eventually(async () => {
      const [first, second] = await slotsOf("test-tripped");
      expect(first?.state).toMatchObject({
        openBreakers: 1,
        calls: { served: 0n, errors: [{ code: "trouble" }] },
      });
      expect(first?.state?.calls?.failed).toBeGreaterThanOrEqual(BigInt(calls));
      expect(second?.state).toMatchObject({ openBreakers: 0, calls: { failed: 0n } });
      expect(second?.state?.calls?.durationP99Ms).toBeGreaterThanOrEqual(
        second?.state?.calls?.durationP50Ms ?? Number.POSITIVE_INFINITY,
      );
    });
  });

  test("are disabled and enabled by the command, which refuses what the catalog has not", async () => {
    const disabled = await tollgate(
      "slot",
      "disable",
      "sim/after-switched",
      "--reason",
      "no quota",
    );
    expect(disabled).toMatchObject({ code: 0, stdout: expect.stringContaining("is disabled") });
    const { stdout } = await tollgate("model", "list");
    expect(stdout).toMatch(/^ +sim\/after-switched +disabled /m);
    expect((await tollgate("slot", "enable", "sim/after-switched", "--json")).json()).toMatchObject(
      {
        slot: "sim/after-switched",
        disabled: null,
      },
    );
    const unknown = await tollgate("slot", "disable", "sim/nothing");
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("The catalog has no slot sim/nothing");
  });
});
