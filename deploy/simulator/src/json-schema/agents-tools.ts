import { z } from "zod";

/** The parameters of tools as agents declare them, each with its purpose. */
export const agentsTools = {
  "bash with a timeout": z.object({
    command: z.string().describe("The command to execute"),
    timeout: z.int().optional(),
    description: z.string(),
    run_in_background: z.boolean().optional(),
  }),
  "bash whose timeout is required": z.object({ command: z.string(), timeout: z.int() }),
  "read a file": z.object({
    filePath: z.string(),
    offset: z.coerce.number().optional(),
    limit: z.number().int().positive().max(2_000).default(2_000),
  }),
  "edit a file": z.object({
    file_path: z.string().min(1),
    old_string: z.string(),
    new_string: z.string(),
    replace_all: z.boolean().default(false),
  }),
  "write todos": z.object({
    todos: z
      .array(
        z.object({
          id: z.string(),
          content: z.string().min(1),
          status: z.enum(["pending", "in_progress", "completed"]),
          priority: z.enum(["high", "medium", "low"]),
        }),
      )
      .min(2),
  }),
  "search with grep": z.object({
    pattern: z.string(),
    path: z.string().optional(),
    output_mode: z.enum(["content", "files_with_matches", "count"]).optional(),
    "-A": z.number().optional(),
    head_limit: z.number().nonnegative().optional(),
  }),
  "fetch a page": z.object({
    url: z.url(),
    format: z.enum(["text", "markdown", "html"]),
    timeout: z.number().max(120).optional(),
  }),
  "start a task": z.object({
    description: z.string(),
    prompt: z.string(),
    subagent_type: z.string(),
    session: z.uuid().optional(),
  }),
  "ask the user": z.object({
    questions: z
      .array(
        z.object({
          question: z.string(),
          header: z.string().max(12),
          options: z
            .array(z.object({ label: z.string(), description: z.string() }))
            .min(2)
            .max(4),
          multiSelect: z.boolean(),
        }),
      )
      .min(1)
      .max(4),
  }),
};
