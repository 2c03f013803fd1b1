import { againstCommand } from "./commands/against.ts";
import { compareCommand } from "./commands/compare.ts";
import { growthCommand } from "./commands/growth.ts";
import { ledgerCommand } from "./commands/ledger.ts";
import { memoryCommand } from "./commands/memory.ts";
import { profileCommand } from "./commands/profile.ts";
import { restCommand } from "./commands/rest.ts";
import { streamsCommand } from "./commands/streams.ts";

const commands = [
  compareCommand,
  againstCommand,
  streamsCommand,
  growthCommand,
  ledgerCommand,
  memoryCommand,
  restCommand,
  profileCommand,
];

/** `npm run bench -- COMMAND`. */
const [name = "", ...args] = process.argv.slice(2);
const command = commands.find((one) => one.name === name);
if (command === undefined) {
  const lines = commands.map((one) => `  ${one.name.padEnd(8)} ${one.about}`);
  process.stdout.write(`usage: npm run bench -- COMMAND [--help]\n\n${lines.join("\n")}\n`);
  process.exitCode = name === "" ? 0 : 2;
} else if (args.includes("--help")) {
  process.stdout.write(command.help());
} else {
  await command.run(args);
}
