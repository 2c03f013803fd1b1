import { randomUUID } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { freePort } from "@tollgate/local/free-port";
import { connectOperator } from "@tollgate/local/operator";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();
const usd = 1_000_000_000n;
const dayMs = 24 * 60 * 60 * 1_000;

describe("codes that add credit", () => {
  let replica: Awaited<ReturnType<typeof stack.addReplica>>;
  /** The operator's API of the two replicas. */
  let operators: (typeof stack.operator)[];
  let close: () => void;

  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    replica = await stack.addReplica({ TOLLGATE_LISTEN: listen });
    const connection = connectOperator(listen, testSecrets);
    close = connection.close;
    operators = [stack.operator, connection.client];
  });

  afterAll(async () => {
    close();
    await replica.stop();
  });

  async function newAccount() {
    const { account } = await stack.operator.createAccount({ name: randomUUID() });
    return account?.id ?? "";
  }

  async function createCodes(count: number, fields: object = {}) {
    const expiresAt = timestampFromMs(Date.now() + dayMs);
    const request = { creditNanoUsd: 10n * usd, count, expiresAt, ...fields };
    const { codes, batch } = await stack.operator.createCodes(request);
    return { codes, batchId: batch?.id ?? "" };
  }

  async function balanceOf(account: string) {
    return (await stack.operator.readWallet({ account })).wallet?.balanceNanoUsd;
  }

  /** Redeems on one of the replicas. Resolves with whether it was credited, or the code of the error. */
  function redeem(account: string, code: string, index = 0): Promise<string> {
    const call = operators[index % 2]?.redeemCode({ account, code });
    return Promise.resolve(call).then(
      () => "credited",
      (error: { code: string }) => error.code,
    );
  }

  test("are redeemed once each, where twelve accounts try at once on two replicas", async () => {
    const { codes, batchId } = await createCodes(2);
    const [code = "", unused = ""] = codes;
    const accounts = await Promise.all(Array.from({ length: 12 }, newAccount));
    const outcomes = await Promise.all(accounts.map((one, index) => redeem(one, code, index)));
    expect(outcomes.filter((one) => one === "credited")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["credited", "not_found"]));
    const balances = await Promise.all(accounts.map(balanceOf));
    expect(balances.filter((balance) => balance === 10n * usd)).toHaveLength(1);
    expect(balances.filter((balance) => balance === 0n)).toHaveLength(11);
    const { batches } = await stack.operator.listCodeBatches({});
    expect(batches.find(({ id }) => id === batchId)).toMatchObject({ codes: 2, redeemed: 1 });
    expect(await redeem(accounts[outcomes.indexOf("not_found")] ?? "", unused)).toBe("credited");
  });

  test("of a batch are redeemed once by each account, also at once on two replicas", async () => {
    const { codes } = await createCodes(6);
    const account = await newAccount();
    const outcomes = await Promise.all(codes.map((code, index) => redeem(account, code, index)));
    expect(outcomes.filter((one) => one === "credited")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["credited", "invalid_param"]));
    expect(await balanceOf(account)).toBe(10n * usd);
    // The same account may repeat its call: it adds nothing.
    const own = codes[outcomes.indexOf("credited")] ?? "";
    expect(await redeem(account, own.toLowerCase().replaceAll("-", " "))).toBe("credited");
    expect(await balanceOf(account)).toBe(10n * usd);
    // One of another batch is another code.
    const other = await createCodes(1, { creditNanoUsd: 5n * usd });
    expect(await redeem(account, other.codes[0] ?? "")).toBe("credited");
    expect(await balanceOf(account)).toBe(15n * usd);
  });

  test("that are revoked or unknown are refused in one way, and guessing is slowed down", async () => {
    const { codes, batchId } = await createCodes(1);
    await stack.operator.revokeCodes({ batchId });
    const account = await newAccount();
    expect(await redeem(account, codes[0] ?? "")).toBe("not_found");
    for (let tried = 1; tried < 10; tried += 1) {
      expect(await redeem(account, `GUESS-${tried}`, tried)).toBe("not_found");
    }
    const valid = await createCodes(1);
    expect(await redeem(account, valid.codes[0] ?? "", 1)).toBe("rate_limited");
    expect(await redeem(await newAccount(), valid.codes[0] ?? "")).toBe("credited");
    expect(await balanceOf(account)).toBe(0n);
  });

  test("expire, and are created within bounds", async () => {
    const { codes, batchId } = await createCodes(1);
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const past = "UPDATE billing.credit_code SET expires_at = now() WHERE batch_id = $1";
    await database.query(past, [batchId]);
    expect(await redeem(await newAccount(), codes[0] ?? "")).toBe("not_found");
    // A code is a secret: neither its batch nor the audit has it.
    const { rows } = await database.query(
      "SELECT after::text FROM billing.audit_record WHERE action IN ('CreateCodes', 'RedeemCode')",
    );
    await database.end();
    expect(JSON.stringify(rows)).not.toContain(codes[0]);
    const refused = [
      { count: 0 },
      { count: 10_001 },
      { creditNanoUsd: 0n },
      { creditNanoUsd: 100_001n * usd },
      { expiresAt: timestampFromMs(Date.now() - 1_000) },
    ];
    for (const fields of refused) {
      await expect(createCodes(1, fields)).rejects.toMatchObject({ code: "invalid_param" });
    }
  });

  test("are created, listed, redeemed and revoked by commands", async () => {
    const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);
    const options = ["--credit", "2.50", "--count", "3", "--expires", "30d", "--name", "spring"];
    const created = await tollgate("code", "create", ...options, "--json");
    const { id = "", texts = [] } = created.json() as { id: string; texts: string[] };
    expect(texts).toHaveLength(3);
    const account = await newAccount();
    const redeemed = await tollgate("code", "redeem", account, texts[0] ?? "");
    expect(redeemed.stdout).toBe("added 2.500000 USD\n");
    expect((await tollgate("code", "revoke", id)).code).toBe(0);
    expect((await tollgate("code", "redeem", await newAccount(), texts[1] ?? "")).code).toBe(1);
    const { stdout } = await tollgate("code", "list");
    expect(stdout).toContain(`${id} 1 of 3 redeemed, 2.500000 USD each, revoked spring\n`);
  });
});
