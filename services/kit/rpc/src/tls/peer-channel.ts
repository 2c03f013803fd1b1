import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import {
  type ChannelCredentials,
  type ChannelOptions,
  credentials,
  experimental,
} from "@grpc/grpc-js";
import { channelOptions } from "../grpc-channel.ts";
import type { FleetCertificates } from "./fleet-certificates.ts";

/** How the replicas of a peer are connected. */
export interface PeerChannel {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * Returns how the replicas behind an address are connected: with certificates of the fleet, or without encryption, as
 * sockets always are. The replicas must have a certificate of the fleet's authority for a host of the address. On
 * addresses of the machine itself, any certificate of the authority is accepted.
 */
export function peerChannel(
  address: string,
  certificates: FleetCertificates | undefined,
): PeerChannel {
  const hosts = hostsOf(address);
  if (certificates === undefined || hosts.length === 0) {
    return { credentials: credentials.createInsecure(), options: channelOptions };
  }
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(
      certificates,
      certificates,
      { checkServerIdentity: (_host, certificate) => nameProblem(hosts, certificate) },
    ),
    // TLS takes no addresses as names of servers.
    options: { ...channelOptions, "grpc.ssl_target_name_override": serverName(hosts) },
  };
}

/**
 * Returns why a certificate is for none of the hosts of a peer; undefined where it is for one, and on the machine
 * itself.
 */
export function nameProblem(
  hosts: readonly string[],
  certificate: PeerCertificate,
): Error | undefined {
  if (hosts.some(isLoopback)) return undefined;
  const problems = hosts.map((host) => checkServerIdentity(host, certificate));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** Returns the hosts of an address; none for a socket. */
export function hostsOf(address: string): string[] {
  return address.split(",").flatMap(hostOf);
}

function hostOf(target: string): string[] {
  if (target.startsWith("unix:")) return [];
  const match = /^(?:[a-z0-9]+:\/{2,3})?(?<host>\[[^\]]+\]|[^:[\]/]+)(?::\d+)?$/.exec(target);
  return [match?.groups?.host?.replace(/^\[|\]$/g, "") ?? target];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

function serverName(hosts: readonly string[]): string {
  return hosts.find((host) => isIP(host) === 0) ?? "localhost";
}
