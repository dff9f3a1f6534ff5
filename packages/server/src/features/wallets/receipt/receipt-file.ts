import { paperThreads } from '../../../platform/threads/paper-threads.ts'
import type { ReceiptTask } from './receipt-worker.ts'

const module = new URL('receipt-worker.ts', import.meta.url)
/** Timeout only for a thread that hangs: the largest file takes a second of processor time. */
const timeLimitMs = 60_000

/**
 * Writes the receipt as a PDF in a thread that serves users in turn. Refuses `rate_limited` while too many files of the
 * user wait, and `service_unavailable` while too many wait in total.
 */
export async function receiptFile(personId: bigint, input: ReceiptTask): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await paperThreads.run<ReceiptTask, Uint8Array<ArrayBuffer>>(personId, {
    module,
    input,
    timeLimitMs,
  })
  return Buffer.from(buffer, byteOffset, byteLength)
}
