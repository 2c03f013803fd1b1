import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  RefusedKey,
  SetSlotRequest,
  SyncSlotsRequest,
} from "@tollgate/proto/tollgate/v1/slot";
import type pg from "pg";
import type { DisabledSlot, PrismaClient } from "./generated/client.ts";
import { readSlotCalls } from "./slot-calls.ts";

/** How long the slots that are disabled are remembered: every replica asks every two seconds. */
const rememberedMs = 1_000;
/** A replica repeats its open breakers every ten seconds. */
const reportedSeconds = 30;

/** The calls of SlotService. */
export function createSlots(pool: pg.Pool, prisma: PrismaClient) {
  let remembered: { until: number; ids: Promise<string[]> } | undefined;

  async function readDisabled(): Promise<string[]> {
    const rows = await prisma.disabledSlot.findMany({ select: { slotId: true } });
    return rows.map(({ slotId }) => slotId);
  }

  function disabledSlots(): Promise<string[]> {
    const now = performance.now();
    if (remembered !== undefined && now < remembered.until) return remembered.ids;
    const ids = readDisabled();
    remembered = { until: now + rememberedMs, ids };
    ids.catch(() => {
      remembered = undefined;
    });
    return ids;
  }

  return {
    /** Stores what a replica reports, if it does, and reads the disabled slots. */
    async syncSlots({ replicaId, openBreakers }: SyncSlotsRequest) {
      if (openBreakers !== undefined) {
        await reportBreakers(pool, replicaId, openBreakers.slotIds);
        await reportRefusedKeys(pool, replicaId, openBreakers.refusedKeys);
      }
      return { disabledSlotIds: await disabledSlots() };
    },
    async setSlot({ slotId, disabledReason }: SetSlotRequest) {
      const before = await prisma.disabledSlot.findUnique({ where: { slotId } });
      const after = await setDisabled(prisma, slotId, disabledReason);
      remembered = undefined;
      return {
        ...(before && { before: toDisabled(before) }),
        ...(after && { after: toDisabled(after) }),
      };
    },
    async readSlots() {
      const [disabled, openBreakers, calls] = await Promise.all([
        prisma.disabledSlot.findMany(),
        countOpenBreakers(pool),
        readSlotCalls(pool),
      ]);
      const disabledById = new Map(disabled.map((slot) => [slot.slotId, toDisabled(slot)]));
      const slotIds = new Set([...disabledById.keys(), ...openBreakers.keys(), ...calls.keys()]);
      const slots = [...slotIds].sort().map((slotId) => ({
        slotId,
        openBreakers: openBreakers.get(slotId) ?? 0,
        ...defined("disabled", disabledById.get(slotId)),
        ...defined("calls", calls.get(slotId)),
      }));
      return { slots };
    },
    async readOutages() {
      const [refusedKeys, open] = await Promise.all([
        readRefusedKeys(pool),
        countOpenBreakers(pool),
      ]);
      const outSlots = [...open].map(([slotId, processes]) => ({ slotId, processes }));
      return { refusedKeys, outSlots: outSlots.sort((a, b) => (a.slotId < b.slotId ? -1 : 1)) };
    },
  };
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

async function reportBreakers(pool: pg.Pool, replicaId: string, slotIds: readonly string[]) {
  await pool.query({
    name: "report-breakers",
    text: "SELECT report_breakers($1, $2)",
    values: [replicaId, slotIds],
  });
}

async function reportRefusedKeys(pool: pg.Pool, replicaId: string, keys: readonly RefusedKey[]) {
  await pool.query({
    name: "report-refused-keys",
    text: "SELECT report_refused_keys($1, $2, $3, $4, $5)",
    values: [
      replicaId,
      keys.map(({ provider }) => provider),
      keys.map(({ key }) => key),
      keys.map(({ said }) => said),
      keys.map(({ status }) => status),
    ],
  });
}

interface RefusedKeyRow {
  provider: string;
  key: string;
  said: string;
  status: number;
  since: Date;
}

/** What the replicas report, one for each key: what was said last, since the first report. */
async function readRefusedKeys(pool: pg.Pool) {
  const { rows } = await pool.query<RefusedKeyRow>({
    name: "read-refused-keys",
    text: `
      SELECT DISTINCT ON (provider, key_name) provider, key_name AS key, said, status,
        min(refused_at) OVER (PARTITION BY provider, key_name) AS since
      FROM refused_key WHERE reported_at > now() - interval '${reportedSeconds} seconds'
      ORDER BY provider, key_name, reported_at DESC`,
  });
  return rows.map(({ since, ...key }) => ({ ...key, since: timestampFromDate(since) }));
}

async function countOpenBreakers(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ slot_id: string; replicas: number }>({
    name: "count-open-breakers",
    text: `
      SELECT slot_id, count(*)::int AS replicas FROM open_breaker
      WHERE reported_at > now() - interval '${reportedSeconds} seconds' GROUP BY slot_id`,
  });
  return new Map(rows.map(({ slot_id, replicas }) => [slot_id, replicas]));
}

async function setDisabled(prisma: PrismaClient, slotId: string, reason: string | undefined) {
  if (reason === undefined) {
    await prisma.disabledSlot.deleteMany({ where: { slotId } });
    return undefined;
  }
  return prisma.disabledSlot.upsert({
    where: { slotId },
    create: { slotId, reason },
    update: { reason },
  });
}

function toDisabled({ reason, disabledAt }: DisabledSlot) {
  return { reason, since: timestampFromDate(disabledAt) };
}
