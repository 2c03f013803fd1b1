import type { Broker } from "./connection.ts";

/**
 * Short messages to every replica that listens, at once and at most once: for dropping what was
 * cached, never for what must not be lost.
 */
export interface Notices {
  publish(subject: NoticeSubject, text: string): void;
  subscribe(subject: NoticeSubject, listener: (text: string) => void): void;
}

/** `key.revoked` carries the key's SHA-256 in hex. */
export type NoticeSubject = "key.revoked";

/** Notices through the broker. Those published while it is away are lost. */
export function brokerNotices(broker: Broker): Notices {
  return {
    publish: (subject, text) => broker.connection()?.publish(`tollgate.${subject}`, text),
    subscribe(subject, listener) {
      broker.whenConnected((connection) => {
        connection.subscribe(`tollgate.${subject}`, {
          callback: (error, message) => {
            if (error === null) listener(message.string());
          },
        });
      });
    },
  };
}

/** Notices inside one process. */
export function localNotices(): Notices {
  const listeners = new Map<NoticeSubject, ((text: string) => void)[]>();
  return {
    publish(subject, text) {
      for (const listener of listeners.get(subject) ?? []) listener(text);
    },
    subscribe(subject, listener) {
      listeners.set(subject, [...(listeners.get(subject) ?? []), listener]);
    },
  };
}
