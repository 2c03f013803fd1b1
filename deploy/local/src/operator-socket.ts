import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { consoleUrlFile, operatorSecretFile, operatorSocket } from "@tollgate/cli/operator-address";
import { StartError } from "@tollgate/core/errors";
import type { FleetSecrets } from "@tollgate/core/peer-auth";

/** The socket on which a gateway accepts the operator's commands. Only its user may use it. */
export interface OperatorSocket {
  /** Its gRPC address. */
  address: string;
  /** Makes the socket itself private, once it exists. */
  restrict(): Promise<void>;
  /** Stores the URL of the console beside it, for the links that the commands print. */
  storeConsoleUrl(url: string): Promise<void>;
  /** Removes the socket, and what is stored beside it. */
  remove(): Promise<void>;
}

/**
 * Prepares the folder of the operator's socket: private to the user, and without what a gateway
 * that was killed left there. Stores the secrets that the operator's commands need, if there are any,
 * in a file beside the socket. Throws a StartError if the folder belongs to another user.
 */
export async function prepareOperatorSocket(
  dataFolder: string,
  secrets: FleetSecrets,
): Promise<OperatorSocket> {
  const socket = operatorSocket(dataFolder);
  const secretFile = operatorSecretFile(dataFolder);
  const urlFile = consoleUrlFile(dataFolder);
  const remove = async () => {
    for (const file of [socket, secretFile, urlFile]) await rm(file, { force: true });
  };
  await makePrivateFolder(dirname(socket));
  await remove();
  if (secrets.fleet !== undefined) {
    await writeFile(secretFile, JSON.stringify(secrets), { mode: 0o600, flag: "wx" });
  }
  return {
    address: `unix:${socket}`,
    restrict: () => chmod(socket, 0o600),
    storeConsoleUrl: (url) => writeFile(urlFile, url, { mode: 0o600 }),
    remove,
  };
}

/** Another user may have created the folder before, where it is in the temporary folder. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await stat(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new StartError(`the folder ${folder} belongs to another user`);
  }
  await chmod(folder, 0o700);
}
