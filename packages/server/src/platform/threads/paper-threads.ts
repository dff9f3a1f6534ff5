import { createFairThreads } from './fair-threads.ts'

/** Two threads that write receipts and exports from the product's own data, never from untrusted files. */
export const paperThreads = createFairThreads({
  threads: 2,
  // Enough for one person's receipts of a minute and exports of a day.
  maxWaitingPerLine: 35,
  maxWaiting: 350,
  heapMb: 256,
})
