import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** What the young generation may take: more saves no processor time here, less costs some. */
const LARGEST_YOUNG_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

/**
 * Keeps the heap small for a program that makes much garbage and keeps little: a sync turns page after page into
 * objects and text that are garbage a moment later, and V8 would let some 200 MB of it pile up before it clears away.
 * So the peak lies at about 130 MB, for the same processor time (bench/README.md).
 *
 * Said in the program and not on the command line, so that it holds however the program is started. V8 reads its limit
 * for the young generation only when it starts, but how fast that grows each time it does: so the growth is ended
 * once it is large enough. To be called before anything large is loaded.
 */
export function keepHeapSmall(): void {
  // The old generation may grow by a fifth between two full collections, not to a multiple of what is in use.
  setFlagsFromString("--heap-growing-percent=20");
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < LARGEST_YOUNG_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, LOOK_EVERY_MS);
  timer.unref();
}
