import { createFairThreads } from './fair-threads.ts'

/** Two threads that write receipts and exports from the product's own data, never from untrusted files. */
export const paperThreads = createFairThreads({
  threads: 2,
  // Covers a minute's receipts and a day's exports of one person.
  maxWaitingPerLine: 35,
  maxWaiting: 350,
  heapMb: 256,
})
