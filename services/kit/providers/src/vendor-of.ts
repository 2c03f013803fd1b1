import type { Slot } from "@tollgate/catalog/model";
import { vendors } from "./index.ts";
import type { Vendor, VendorChat } from "./vendor.ts";

const byName: Readonly<Record<string, Vendor>> = vendors;

/** Returns the vendor of a slot's provider. */
export function vendorOf({ provider: { kind } }: Pick<Slot, "provider">): Vendor {
  const vendor = byName[kind.name];
  if (vendor === undefined) throw new Error(`there is no vendor ${kind.name}`);
  return vendor;
}

/** Returns what a chat slot's vendor does its own way. */
export function vendorChatOf(slot: Slot): VendorChat {
  const { name, chat } = vendorOf(slot);
  if (chat === undefined) throw new Error(`${name} serves no chat`);
  return chat;
}
