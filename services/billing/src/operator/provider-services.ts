import {
  AudioTestService,
  ChatTestService,
  DocumentTestService,
  ImageTestService,
} from "@tollgate/proto/tollgate/v1/slot_test";
import type { Client } from "@tollgate/rpc/implementation";
import type { ServiceContext } from "@tollgate/runtime/service";

/** The services that call providers. */
export interface ProviderServices {
  chat: Client<typeof ChatTestService>;
  document: Client<typeof DocumentTestService>;
  image: Client<typeof ImageTestService>;
  audio: Client<typeof AudioTestService>;
}

/** Returns clients of the services that call providers. */
export function connectProviderServices(peer: ServiceContext["peer"]): ProviderServices {
  return {
    chat: peer("chat", ChatTestService),
    document: peer("document", DocumentTestService),
    image: peer("image", ImageTestService),
    audio: peer("audio", AudioTestService),
  };
}
