import { audio } from "@tollgate/audio/service";
import { billing } from "@tollgate/billing/service";
import { chat } from "@tollgate/chat/service";
import { consoleService } from "@tollgate/console/service";
import { StartError } from "@tollgate/core/errors";
import { document } from "@tollgate/document/service";
import { edge } from "@tollgate/edge/service";
import { image } from "@tollgate/image/service";
import { ledger } from "@tollgate/ledger/service";
import type { Service } from "@tollgate/runtime/service";

/** Every service in the order of start: a service starts after those that it calls. */
const services: readonly Service[] = [
  ledger,
  billing,
  chat,
  document,
  image,
  audio,
  consoleService,
  edge,
];

const targetNames = ["all", ...services.map((service) => service.name), "migrate"];

/** Returns the services of a `--target`. Throws a StartError for an unknown target. */
export function servicesOf(target: string): readonly Service[] {
  if (target === "all") return services;
  const service = services.find(({ name }) => name === target);
  if (service !== undefined) return [service];
  throw new StartError(`--target ${target}: must be one of ${targetNames.join(", ")}`);
}
