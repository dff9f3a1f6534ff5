import { createFairThreads } from './fair-threads.ts'

/** Two threads in which receipts and exports are written: what the product knows, never what strangers send. */
export const paperThreads = createFairThreads({
  threads: 2,
  // A minute's receipts and a day's exports of one person.
  waitingOfOne: 35,
  waitingInAll: 350,
  heapMb: 256,
})
