import { create } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import { GatewayError, PeerError } from "@tollgate/core/errors";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { engineWorld, far, images } from "../test/engine-world.ts";

test("the record says why each attempt failed, and what the provider and the client called it", async () => {
  const { engine, call, events, requestIds } = engineWorld();
  const said = "wrong key sk-live_0123456789abcdef\0";
  const unable = [{ ...far, provider: { name: "unable" } } as Slot];
  const origin = { endpoint: "POST /v1/x", userAgent: "sdk/1", clientRequestId: "mine" };
  const caller = create(CallerSchema, { requestId: "req_1", accountId: "a", ...origin });
  await engine.generate({ ...call, caller, unable }, async (generation) => {
    const { slot } = await generation.attempt(async (one) => {
      requestIds.readHeaders("req_1", { "request-id": `call-${one.id}` });
      if (one === far) return generation.identify({ provider: "gen-1", client: "chatcmpl-1" });
      const details = { status: 500, providerMessage: said };
      throw new SlotFailure("rejected", "the provider responded with 500", details);
    });
    await generation.settle(slot, images(1n));
  });
  expect(events[0]?.trail).toMatchObject({
    ...origin,
    clientStatus: 200,
    clientMessage: "",
    responseId: "chatcmpl-1",
    passedOver: [{ provider: "unable", reason: "unable" }],
    attempts: [
      {
        reason: "the provider responded with 500",
        providerMessage: "wrong key [key]\u{fffd}",
        providerRequestId: "call-near/m",
        providerResponseId: "",
      },
      { reason: "", providerRequestId: "call-far/m", providerResponseId: "gen-1" },
    ],
  });
});

test("the record of a failed request has the error that its client was sent, or that it had left", async () => {
  const sentFor = async (failure: Error) => {
    const { engine, call, events } = engineWorld();
    await engine.generate(call, async () => Promise.reject(failure)).catch(() => {});
    const { clientStatus, clientMessage } = events[0]?.trail ?? {};
    return [clientStatus, clientMessage];
  };
  expect(await sentFor(new GatewayError("upstream_rejected", "No."))).toEqual([502, "No."]);
  expect(await sentFor(new PeerError("cancelled", "left"))).toEqual([0, ""]);
  expect(await sentFor(new Error("secret"))).toEqual([500, expect.not.stringContaining("secret")]);
});

test("a call that its provider breaks off has one error code, which its client is sent", async () => {
  const { engine, call, events } = engineWorld();
  const ended = engine.generate(call, async (generation) => {
    await generation.attempt(async () => "opened");
    throw new SlotFailure("rejected", "the stream ended early", { status: 529 });
  });
  await expect(ended).rejects.toThrow();
  const { attempts = [], errorCode } = events[0]?.trail ?? {};
  expect(errorCode).toBe("upstream_rejected");
  expect(attempts).toMatchObject([{ errorCode, status: 529, reason: "the stream ended early" }]);
});

test("the record of a response that is billed although it ended early says so", async () => {
  const { engine, call, events } = engineWorld();
  const ended = engine.generate(call, async (generation) => {
    const { slot } = await generation.attempt(async () => "opened");
    generation.billPartial(() => ({ slot, response: images(1n) }));
    throw new PeerError("cancelled", "left");
  });
  await expect(ended).rejects.toThrow("left");
  await engine.generate(call, async (generation) => {
    const { slot } = await generation.attempt(async () => "opened");
    await generation.settle(slot, images(1n));
  });
  const cut = engine.generate(call, async (generation) => {
    const { slot } = await generation.attempt(async () => "opened");
    generation.billPartial(() => ({ slot, response: images(1n) }));
    throw new SlotFailure("rejected", "the provider took too long");
  });
  await expect(cut).rejects.toThrow();
  const told = events.map(({ trail }) => {
    return [trail?.isPartial, trail?.clientStatus, trail?.clientCode, trail?.errorCode];
  });
  expect(told).toEqual([
    [true, 0, "", ""],
    [false, 200, "", ""],
    [true, 502, "upstream_rejected", ""],
  ]);
  expect(events[2]?.trail?.attempts).toMatchObject([
    { errorCode: "", reason: "the provider took too long" },
  ]);
});
