// Generates the Prisma client of a service:
//   node generate-prisma.mjs services/SERVICE/prisma/schema.prisma
// It calls the generator itself. Prisma's command line would do the same, and brings 200 MB of packages
// for its other commands.
import { createRequire } from "node:module";

// The generator's ES modules import paths that do not exist; its CommonJS modules are complete.
const require = createRequire(import.meta.url);
const { getGenerator, loadSchemaContext } = require("@prisma/internals");
const { PrismaClientTsGenerator } = require("@prisma/client-generator-ts");

const [cliProvidedPath] = process.argv.slice(2);
const generator = await getGenerator({
  schemaContext: await loadSchemaContext({ schemaPath: { cliProvidedPath } }),
  registry: { "prisma-client": { type: "in-process", generator: new PrismaClientTsGenerator() } },
  skipDownload: true,
  cliCommand: "generate",
});
await generator.generate();
generator.stop();
