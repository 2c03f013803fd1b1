import { IdentityFailure, type IdentityGrant } from "@tollgate/catalog/identity";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RotatingGrant } from "./rotating-grant.ts";

const hourMs = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** A grant whose token server is the test: each read waits until the test ends it. */
function startGrant() {
  const reads: PromiseWithResolvers<IdentityGrant>[] = [];
  const onLateRefresh = vi.fn();
  const grant = new RotatingGrant({
    read() {
      const read = Promise.withResolvers<IdentityGrant>();
      reads.push(read);
      return read.promise;
    },
    onLateRefresh,
    nowMs: Date.now,
  });
  const settle = async () => void (await vi.advanceTimersByTimeAsync(0));
  return {
    grant,
    reads,
    onLateRefresh,
    /** Ends the last read with a token that lives for this time. */
    async send(token: string, lifeMs: number | undefined = hourMs) {
      const expiresAtMs = lifeMs === undefined ? undefined : Date.now() + lifeMs;
      reads.at(-1)?.resolve({ values: { token }, expiresAtMs });
      await settle();
    },
    async fail(failure: Error = new IdentityFailure("down", false)) {
      reads.at(-1)?.reject(failure);
      await settle();
    },
  };
}

/** A grant that holds the token `first`. */
async function startedGrant(lifeMs?: number) {
  const world = startGrant();
  void world.grant.current();
  await world.send("first", lifeMs);
  return world;
}

test("concurrent requests share one read, and later ones wait for none", async () => {
  const { grant, reads, send } = startGrant();
  const both = Promise.all([grant.current(), grant.current()]);
  await send("first");
  expect(await both).toEqual([{ token: "first" }, { token: "first" }]);
  expect(grant.current()).toEqual({ token: "first" });
  expect(reads).toHaveLength(1);
});

describe("values that will expire", () => {
  test("are replaced before that, while requests use them", async () => {
    const { grant, reads, send } = await startedGrant();
    vi.setSystemTime(hourMs - 300_001);
    grant.current();
    expect(reads).toHaveLength(1);
    vi.setSystemTime(hourMs - 300_000);
    expect(grant.current()).toEqual({ token: "first" });
    expect(grant.current()).toEqual({ token: "first" });
    expect(reads).toHaveLength(2);
    await send("second");
    expect(grant.current()).toEqual({ token: "second" });
    expect(grant.recent()).toEqual(["second", "first"]);
  });

  test("are kept until then where the refresh fails, which is reported and repeated", async () => {
    const { grant, reads, fail, onLateRefresh } = await startedGrant();
    vi.setSystemTime(hourMs - 300_000);
    grant.current();
    await fail();
    expect(onLateRefresh).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: "down" }),
    );
    expect(grant.current()).toEqual({ token: "first" });
    expect(reads).toHaveLength(2);
    vi.setSystemTime(hourMs - 285_000);
    expect(grant.current()).toEqual({ token: "first" });
    expect(reads).toHaveLength(3);
    await fail();
    vi.setSystemTime(hourMs);
    const waiting = Promise.resolve(grant.current());
    const failed = expect(waiting).rejects.toMatchObject({ message: "down" });
    await fail();
    await failed;
  });

  test("live for a short time only, and are still used for two thirds of it", async () => {
    const { grant, reads } = await startedGrant(30_000);
    vi.setSystemTime(19_999);
    expect(grant.current()).toEqual({ token: "first" });
    expect(reads).toHaveLength(1);
    vi.setSystemTime(20_000);
    expect(grant.current()).toEqual({ token: "first" });
    expect(reads).toHaveLength(2);
    vi.setSystemTime(27_000);
    expect(grant.current()).toBeInstanceOf(Promise);
  });
});

test("values that do not expire are read once", async () => {
  const { grant, reads } = startGrant();
  void grant.current();
  reads[0]?.resolve({ values: { token: "fixed" }, expiresAtMs: undefined });
  await vi.advanceTimersByTimeAsync(0);
  vi.setSystemTime(1_000 * hourMs);
  expect(grant.current()).toEqual({ token: "fixed" });
  expect(reads).toHaveLength(1);
});

describe("without values, a request fails", () => {
  test.each([
    ["that have expired", (world: ReturnType<typeof startGrant>) => world.send("old", 0)],
    ["in time", () => vi.advanceTimersByTimeAsync(10_000)],
    ["that the package reads", ({ fail }) => fail(new Error("token secret"))],
  ] as [
    string,
    (world: ReturnType<typeof startGrant>) => Promise<unknown>,
  ][])("where the token server sends none %s", async (_, answer) => {
    const world = startGrant();
    const failed = Promise.resolve(world.grant.current()).catch((error: unknown) => error);
    await answer(world);
    const failure = await failed;
    expect(failure).toBeInstanceOf(IdentityFailure);
    expect(failure).toMatchObject({ isRefused: false });
    expect(String(failure)).not.toContain("secret");
  });

  test("at once for a second, and then asks again", async () => {
    const { grant, reads, fail, send } = startGrant();
    const failed = expect(grant.current()).rejects.toThrow("refused");
    await fail(new IdentityFailure("refused", true));
    await failed;
    expect(() => grant.current()).toThrow("refused");
    expect(reads).toHaveLength(1);
    vi.setSystemTime(1_000);
    const waiting = grant.current();
    await send("first");
    expect(await waiting).toEqual({ token: "first" });
  });
});

describe("values that the provider refuses", () => {
  test("are replaced by one read for all requests", async () => {
    const { grant, reads, send } = await startedGrant();
    const refused = { token: "first" };
    const both = Promise.all([grant.replace(refused), grant.replace(refused)]);
    await send("second");
    expect(await both).toEqual([{ token: "second" }, { token: "second" }]);
    expect(await grant.replace(refused)).toEqual({ token: "second" });
    expect(reads).toHaveLength(2);
  });

  test("are not replaced again for a time, so that refusals do not become reads", async () => {
    const { grant, reads, send } = await startedGrant();
    const first = grant.replace({ token: "first" });
    await send("second");
    await first;
    expect(await grant.replace({ token: "second" })).toBeUndefined();
    expect(reads).toHaveLength(2);
    vi.setSystemTime(30_000);
    const later = grant.replace({ token: "second" });
    await send("second");
    expect(await later).toBeUndefined();
    expect(reads).toHaveLength(3);
  });

  test("are kept where the token server fails", async () => {
    const { grant, fail } = await startedGrant();
    const replaced = grant.replace({ token: "first" });
    await fail();
    expect(await replaced).toBeUndefined();
    expect(grant.current()).toEqual({ token: "first" });
  });
});
