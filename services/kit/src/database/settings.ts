import { z } from "zod";
import { integerSetting } from "../config.ts";

/** The settings of every service that has a database. */
export const databaseSettings = {
  DATABASE_URL: z.string(),
  TOLLGATE_DATABASE_CONNECTIONS: integerSetting({ min: 2, max: 200, default: 10 }),
};
