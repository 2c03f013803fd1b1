/** A batch that has grown so large goes out at once. */
const mostBytes = 256 * 1024;

export interface FrameBatch<Frame> {
  add(frame: Frame, bytes: number): void;
  /** Sends what was gathered, if anything was. */
  flush(): void;
}

/**
 * Gathers what is sent in one turn of the event loop: a write costs as much for one frame as for
 * many.
 */
export function createFrameBatch<Frame>(send: (frames: Frame[]) => void): FrameBatch<Frame> {
  let gathered: Frame[] = [];
  let size = 0;
  let turn: NodeJS.Immediate | undefined;

  function flush(): void {
    clearImmediate(turn);
    turn = undefined;
    if (gathered.length === 0) return;
    const frames = gathered;
    gathered = [];
    size = 0;
    send(frames);
  }

  return {
    add(frame, bytes) {
      gathered.push(frame);
      size += bytes;
      if (size >= mostBytes) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
  };
}
