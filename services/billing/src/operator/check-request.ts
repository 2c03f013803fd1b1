import {
  type DescEnum,
  type DescField,
  type DescMessage,
  isMessage,
  type Message,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema, timestampMs } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";

/** The prefix of the ids of a list, by the field that names the row after which a page begins. */
const placePrefixes: Readonly<Record<string, string>> = {
  before_account_id: "acct_",
  before_key_id: "key_",
  before_batch_id: "batch_",
  before_payment_id: "payment_",
  before_entry_id: "entry_",
  before_cursor: "entry_",
  before_request_id: "req_",
  before_warning_id: "warning_",
  before_id: "audit_",
};

/** The years 1 to 9999, as in JSON. */
const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

/**
 * Throws `invalid_param`, naming the field, for what no call of an operator takes: a text with the character
 * zero, which the database does not store; a value that its enum does not have; a time outside the calendar; a
 * period that ends before it begins; and a place in another list.
 */
export function checkRequest(schema: DescMessage, request: Message): void {
  checkMessage(reflect(schema, request), "");
}

function checkMessage(message: ReflectMessage, path: string): void {
  for (const field of message.fields) {
    if (message.isSet(field)) checkField(message, field, path + field.name);
  }
  checkPeriod(message.message as Period, path);
}

function checkField(message: ReflectMessage, field: DescField, name: string): void {
  switch (field.fieldKind) {
    case "scalar":
      checkText(message.get(field), name);
      checkPlace(message.get(field), field.name, name);
      return;
    case "enum":
      checkEnum(field.enum, message.get(field), name);
      return;
    case "message":
      checkTime(message.get(field).message, name);
      checkMessage(message.get(field), `${name}.`);
      return;
    case "list":
      for (const item of message.get(field)) {
        if (field.listKind === "message") checkMessage(item as ReflectMessage, `${name}.`);
        else if (field.listKind === "enum") checkEnum(field.enum, item, name);
        else checkText(item, name);
      }
      return;
    case "map":
      for (const [key, value] of message.get(field)) {
        checkText(key, name);
        checkText(value, name);
      }
  }
}

function checkText(value: unknown, name: string): void {
  if (typeof value === "string" && value.includes("\0")) {
    throw invalidParam(name, "must not have the character zero");
  }
}

function checkEnum({ values }: DescEnum, value: unknown, name: string): void {
  if (values.some(({ number }) => number === value)) return;
  throw invalidParam(name, `must be one of ${values.map((one) => one.name).join(", ")}`);
}

function checkPlace(value: unknown, field: string, name: string): void {
  const prefix = placePrefixes[field];
  if (prefix === undefined || typeof value !== "string" || value.startsWith(prefix)) return;
  throw invalidParam(name, `must be where a page of this list ended: ${prefix}…`);
}

/** The bounds of a period, where a message has one. */
interface Period {
  from?: unknown;
  to?: unknown;
}

function checkPeriod({ from, to }: Period, path: string): void {
  if (!isTime(from) || !isTime(to) || timestampMs(from) <= timestampMs(to)) return;
  throw invalidParam(`${path}to`, "must not be before the start of the period");
}

function checkTime(value: unknown, name: string): void {
  if (!isTime(value) || (value.seconds >= firstSecond && value.seconds <= lastSecond)) return;
  throw invalidParam(name, "must be a time of the years 1 to 9999");
}

function isTime(value: unknown): value is Timestamp {
  return isMessage(value, TimestampSchema);
}
