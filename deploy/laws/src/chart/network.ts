import { BlockList, isIP } from "node:net";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import type { INetworkPolicyPeer } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer";
import { namespace as ownNamespace } from "./chart.ts";
import { type Manifest, ofKind, selects } from "./manifest.ts";

/** One end of a connection: a pod of a namespace, or an address outside the cluster. */
export interface Endpoint {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  address?: string;
}

/** Returns a function that evaluates whether network policies allow a TCP connection. */
export function createNetwork(manifests: readonly Manifest[]) {
  const policies = ofKind<INetworkPolicy>(manifests, "NetworkPolicy");

  function allows(direction: "Ingress" | "Egress", here: Endpoint, there: Endpoint, port: number) {
    const applicable = policies.filter(({ spec }) => {
      const isHere =
        here.namespace === ownNamespace && selects(spec?.podSelector, here.labels ?? {});
      return isHere && spec?.policyTypes?.includes(direction);
    });
    if (applicable.length === 0) return true;
    return applicable.some(({ spec }) => {
      const rules =
        direction === "Ingress"
          ? spec?.ingress?.map(({ ports, from }) => ({ ports, peers: from }))
          : spec?.egress?.map(({ ports, to }) => ({ ports, peers: to }));
      return rules?.some(
        ({ ports, peers }) =>
          ports?.some((one) => one.protocol === "TCP" && one.port === port) &&
          (peers === undefined || peers.some((peer) => matches(peer, there))),
      );
    });
  }

  return (from: Endpoint, to: Endpoint, port: number): boolean =>
    allows("Egress", from, to, port) && allows("Ingress", to, from, port);
}

function matches(peer: INetworkPolicyPeer, endpoint: Endpoint): boolean {
  if (peer.ipBlock) return isWithin(peer.ipBlock, endpoint.address);
  if (endpoint.namespace === undefined) return false;
  const isNamespace = peer.namespaceSelector
    ? selects(peer.namespaceSelector, { "kubernetes.io/metadata.name": endpoint.namespace })
    : endpoint.namespace === ownNamespace;
  return isNamespace && selects(peer.podSelector, endpoint.labels ?? {});
}

function isWithin(block: { cidr: string; except?: string[] }, address: string | undefined) {
  if (address === undefined) return false;
  const covers = (cidr: string) => {
    const [network = "", prefix] = cidr.split("/");
    if (isIP(network) !== isIP(address)) return false;
    const list = new BlockList();
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(network, Number(prefix), family);
    return list.check(address, family);
  };
  return covers(block.cidr) && !block.except?.some(covers);
}
