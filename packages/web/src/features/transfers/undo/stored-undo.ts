import { uuidPattern } from '../../../app/orders/persisted-order.ts'
import { fromStored, type SavedTransfer, storedShape, toStored, undoStore as stored } from '../pending-transfer.ts'

/** Stored transfer within its undo window: user, end of the window, and its form. */
interface StoredUndo {
  readonly userId: number
  readonly id: string
  readonly endsAtMs: number
  readonly saved?: unknown
}

/** Stores a transfer within its undo window, so that the user can return to it after a reload or another page. */
export const storeUndo = ({
  saved,
  ...undoFields
}: Omit<StoredUndo, 'saved'> & { saved: SavedTransfer | undefined }): void =>
  stored.write({ ...undoFields, ...(saved && { saved: toStored(saved) }) })

/** Removes the stored undo once its window has ended or the sender has started another transfer. */
export const removeUndo = (): void => stored.remove()

/** Saved transfer of this user as written by `toStored`; undefined for anything else. */
function parseSaved(found: unknown, userId: number): SavedTransfer | undefined {
  const { data } = storedShape.safeParse(found)
  return data?.userId === userId ? fromStored(data) : undefined
}

/** Transfer to return to: the one of this receipt, otherwise one still within its undo window. */
export function readUndo(userId: number, receipt: string | undefined) {
  const undoFields = stored.read() as Partial<StoredUndo> | null | undefined
  if (!undoFields || undoFields.userId !== userId || !uuidPattern.test(String(undoFields.id))) return undefined
  if (undoFields.id !== receipt && !(Number(undoFields.endsAtMs) > Date.now())) return undefined // not money: a time
  return { id: String(undoFields.id), saved: parseSaved(undoFields.saved, userId) }
}
