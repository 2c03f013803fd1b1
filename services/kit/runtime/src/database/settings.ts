import { integerSetting } from "@tollgate/core/config";
import { z } from "zod";

/** The settings of each service with a database. */
export const databaseSettings = {
  DATABASE_URL: z.string(),
  TOLLGATE_DATABASE_CONNECTIONS: integerSetting({ min: 2, max: 200, default: 10 }),
};
