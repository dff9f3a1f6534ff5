import { paperThreads } from '../../../platform/threads/paper-threads.ts'
import type { ReceiptTask } from './receipt-worker.ts'

const module = new URL('receipt-worker.ts', import.meta.url)
const timeLimitMs = 15_000

/**
 * The receipt as a PDF, written in a thread by turns between people. Refuses `rate_limited` while too many files of the
 * person wait, `service_unavailable` while too many of all people do.
 */
export async function receiptFile(personId: bigint, input: ReceiptTask): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await paperThreads.run<ReceiptTask, Uint8Array<ArrayBuffer>>(personId, {
    module,
    input,
    timeLimitMs,
  })
  return Buffer.from(buffer, byteOffset, byteLength)
}
