import { stringify } from "yaml";

/** A provider of an imported model. */
export interface DraftProvider {
  /** The name that it should have. */
  name: string;
  kind?: string;
  base_url?: string;
  region?: string;
  api_key_env?: string;
}

export interface DraftSlot {
  provider: string;
  model: string;
  tier?: number;
  weight?: number;
  requests_per_minute?: number;
  tokens_per_minute?: number;
  retries?: number;
  /** Default: that of the model. */
  pricing?: unknown;
}

/** A model of the catalog, without its slots. */
export type DraftModel = Readonly<Record<string, unknown>>;

/** A configuration of another gateway in the terms of Tollgate. */
export interface Imported {
  catalog: { providers: Record<string, unknown>; models: unknown[] };
  /** The commands that create its keys. */
  commands: readonly string[];
  /** The settings that were not translated, and what to do about them. */
  notes: readonly string[];
}

/** The most slots of a chain. */
const maxSlots = 16;

/** Collects providers, models and notes. */
export class CatalogDraft {
  readonly #providers = new Map<string, Omit<DraftProvider, "name">>();
  readonly #models = new Map<string, { fields: DraftModel; chain: DraftSlot[] }>();
  readonly #notes = new Set<string>();

  note(text: string): void {
    this.#notes.add(text);
  }

  /** Adds a provider, unless an equal one was added. Returns its name in the catalog. */
  addProvider({ name, ...fields }: DraftProvider): string {
    const wanted = nameOf(name);
    for (let number = 1; ; number += 1) {
      const free = number === 1 ? wanted : `${wanted}-${number}`;
      const found = this.#providers.get(free);
      if (found !== undefined && !isEqual(found, fields)) continue;
      this.#providers.set(free, fields);
      return free;
    }
  }

  /** Adds a slot to the chain of a model. The first slot's fields are those of the model. */
  addSlot(alias: string, fields: DraftModel, slot: DraftSlot): void {
    const model = this.#models.get(alias) ?? { fields, chain: [] };
    this.#models.set(alias, model);
    if (model.chain.length < maxSlots) model.chain.push(slot);
    else this.note(`${alias}: a chain has at most ${maxSlots} slots; ${slot.provider} is left out`);
  }

  chainOf(alias: string): readonly DraftSlot[] {
    return this.#models.get(alias)?.chain ?? [];
  }

  fieldsOf(alias: string): DraftModel | undefined {
    return this.#models.get(alias)?.fields;
  }

  /** Returns the catalog of all models and of the providers that they use. */
  finish(commands: readonly string[]): Imported {
    const models = [...this.#models].map(([alias, { fields, chain }]) => ({
      alias,
      ...fields,
      chain: inOrder(chain),
    }));
    const used = new Set(models.flatMap(({ chain }) => chain.map(({ provider }) => provider)));
    const providers = Object.fromEntries([...this.#providers].filter(([name]) => used.has(name)));
    return { catalog: { providers, models }, commands, notes: [...this.#notes] };
  }
}

/** Slots stand in the order of their tiers. One that is alone in its tier needs no number. */
function inOrder(chain: readonly DraftSlot[]): DraftSlot[] {
  const sorted = chain.toSorted((one, other) => (one.tier ?? 0) - (other.tier ?? 0));
  const tiers = new Map<number | undefined, number>();
  for (const { tier } of sorted) tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
  const isShared = sorted.some(({ tier }) => (tiers.get(tier) ?? 0) > 1);
  return sorted.map(({ tier, weight, ...slot }) =>
    isShared ? { ...slot, ...presentMembers({ tier, weight }) } : slot,
  );
}

/** Writes the notes, the catalog and the commands as one file, all but the catalog in comments. */
export function importedLines({ catalog, commands, notes }: Imported): string[] {
  return [
    ...(notes.length === 0 ? [] : ["# Not carried over, or to be checked:"]),
    ...notes.map((note) => `# - ${note}`),
    ...stringify(catalog, { lineWidth: 100 }).trimEnd().split("\n"),
    ...(commands.length === 0 ? [] : ["# Accounts and keys. Each key's secret is new:"]),
    ...commands.map((command) => `#   ${command}`),
  ];
}

/** Returns the members that have a value. */
export function presentMembers<T extends object>(
  members: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Returns a name that a provider may have. */
function nameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 56);
  return name === "" ? "provider" : name;
}

function isEqual(left: object, right: object): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
