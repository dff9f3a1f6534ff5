import { uuidPattern } from '../../../app/orders/persisted-order.ts'
import { fromStored, type SavedTransfer, storedShape, toStored, undoStore as stored } from '../pending-transfer.ts'

/** What this tab keeps of a transfer that can still be taken back: whose it is, until when, and the form it came from. */
interface Left {
  readonly userId: number
  readonly id: string
  readonly endsAtMs: number
  readonly saved?: unknown
}

/** Keeps it, so that a reload or a visit to another page leads back to it. */
export const keepUndo = ({ saved, ...left }: Omit<Left, 'saved'> & { saved: SavedTransfer | undefined }): void =>
  stored.write({ ...left, ...(saved && { saved: toStored(saved) }) })

/** It is over, or its sender has gone on. */
export const dropUndo = (): void => stored.remove()

/** What `toStored` made of a transfer of this person; undefined when it is anything else. */
function readSaved(found: unknown, userId: number): SavedTransfer | undefined {
  const { data } = storedShape.safeParse(found)
  return data?.userId === userId ? fromStored(data) : undefined
}

/** The transfer to lead back to: that of this receipt, else one that can still be taken back. */
export function leftUndo(userId: number, receipt: string | undefined) {
  const left = stored.read() as Partial<Left> | null | undefined
  if (!left || left.userId !== userId || !uuidPattern.test(String(left.id))) return undefined
  if (left.id !== receipt && !(Number(left.endsAtMs) > Date.now())) return undefined // not money: a time
  return { id: String(left.id), saved: readSaved(left.saved, userId) }
}
