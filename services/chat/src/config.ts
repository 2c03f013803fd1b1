import { type Environment, readSettings } from "@tollgate/kit/config";
import { z } from "zod";

export interface ChatConfig {
  catalogFile: string;
}

export function readConfig(env: Environment): ChatConfig {
  return { catalogFile: readSettings(schema, env).TOLLGATE_CATALOG };
}

const schema = z.object({ TOLLGATE_CATALOG: z.string() });
