import { z } from "zod";
import type { Provider, Slot } from "./model.ts";
import type { ProviderKey } from "./provider-key.ts";
import { secretName } from "./secret-name.ts";
import { defaultWeight, weightSchema } from "./slot-sharing.ts";

/** More keys than a provider gives an operator. */
const maxKeys = 16;

/** Returns the schema of a provider's keys. `variable` is that of a variable which may hold one. */
export function keysSchema(variable: z.ZodType<string>) {
  return z
    .array(
      z
        .strictObject({
          secret: secretName.optional(),
          env: variable.optional(),
          weight: weightSchema.default(defaultWeight),
        })
        .refine(({ secret, env }) => (secret === undefined) !== (env === undefined), {
          error: "must have either secret or env",
        }),
    )
    .min(1)
    .max(maxKeys)
    .superRefine((keys, context) => {
      const names = keys.map(({ secret, env }) => secret ?? env);
      const at = names.findIndex((name, index) => names.indexOf(name) < index);
      if (at < 0) return;
      const field = keys[at]?.secret === undefined ? "env" : "secret";
      const message = `must not be ${names[at]}, which another key has`;
      context.addIssue({ code: "custom", path: [at, field], message });
    });
}

type KeyEntry = z.output<ReturnType<typeof keysSchema>>[number];

/** Returns the fields of a provider with these keys: of its only key, or of a pool. */
export function keysOf(
  entries: readonly KeyEntry[],
): Pick<Provider, "keys" | "key" | "secret" | "apiKeyEnv"> {
  const keys = entries.map(toKey);
  const [only] = keys;
  if (keys.length > 1) return { keys, apiKeyEnv: undefined };
  return only === undefined ? { apiKeyEnv: undefined } : credentialOf(only);
}

function toKey({ secret, env, weight }: KeyEntry): ProviderKey {
  const name = secret ?? env ?? "";
  return {
    ...{ name, weight },
    ...(secret === undefined ? {} : { secret }),
    ...(env === undefined ? {} : { apiKeyEnv: env }),
  };
}

function credentialOf(key: ProviderKey) {
  const { secret, apiKeyEnv } = key;
  return { key, apiKeyEnv, ...(secret === undefined ? {} : { secret }) };
}

/** Returns one provider for each key of a pool; the provider itself if it has no pool. */
export function withEachKey(provider: Provider): readonly Provider[] {
  const { keys, ...rest } = provider;
  return keys?.map((key) => ({ ...rest, ...credentialOf(key) })) ?? [provider];
}

/** Returns a slot of a chain, with a slot for each key in `keySlots` if its provider has a pool. */
export function withKeySlots(slot: Slot): Slot {
  if (slot.provider.keys === undefined) return slot;
  const keySlots: Slot[] = [];
  const { keySlots: _, ...alone } = slot;
  const pooled: Slot = { ...alone, keySlots };
  for (const provider of withEachKey(slot.provider)) {
    keySlots.push({ ...alone, provider, chainSlot: pooled });
  }
  return pooled;
}

/** Returns the slot of the chain that a slot with one key belongs to; a slot of the chain itself. */
export function chainSlotOf(slot: Slot): Slot {
  return slot.chainSlot ?? slot;
}

/** Returns the slots for the keys of a slot; the slot itself if its provider has no pool. */
export function keySlotsOf(slot: Slot): readonly Slot[] {
  return chainSlotOf(slot).keySlots ?? [slot];
}

/** Returns a slot of a chain with the key of this name, or with the first key if there is no such key. */
export function slotWithKey(slot: Slot, name: string): Slot {
  const slots = keySlotsOf(slot);
  return slots.find(({ provider }) => provider.key?.name === name) ?? slots[0] ?? slot;
}
