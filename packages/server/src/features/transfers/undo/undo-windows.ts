import type { UndoWindow } from '@tern/contract/transfers'
import type { Db } from '../../../platform/database/db.ts'
import type { Wallets } from '../../wallets/wallets.ts'

const defaultWindow: UndoWindow = { seconds: 15, applies_to: 'new_payees' }

/** Reads a user's undo window, chosen or default. */
export async function readUndoWindow(db: Db, userId: bigint): Promise<UndoWindow> {
  const { rows } = await db.query<UndoWindow>('select seconds, applies_to from undo_window where user_id = $1', [
    userId,
  ])
  return rows[0] ?? defaultWindow
}

/** Replaces the undo window of a user. */
export async function setUndoWindow(
  { now }: { readonly now: () => Date },
  db: Db,
  { userId, window: { seconds, applies_to } }: { readonly userId: bigint; readonly window: UndoWindow },
): Promise<UndoWindow> {
  await db.query(
    `insert into undo_window (user_id, seconds, applies_to, updated_at) values ($1, $2, $3, $4)
     on conflict (user_id) do update
       set seconds = excluded.seconds, applies_to = excluded.applies_to, updated_at = excluded.updated_at`,
    [userId, seconds, applies_to, now()],
  )
  return { seconds, applies_to }
}

/** Seconds during which a send to this payee can be undone; 0 if it is final at once. */
export async function readUndoSeconds(
  { wallets, now }: { readonly wallets: Pick<Wallets, 'hasPaid'>; readonly now: () => Date },
  db: Db,
  { senderId, recipientId }: { readonly senderId: bigint; readonly recipientId: bigint },
): Promise<number> {
  const { seconds, applies_to: appliesTo } = await readUndoWindow(db, senderId)
  if (seconds === 0 || appliesTo === 'nobody') return 0
  const isExempt = appliesTo === 'new_payees' && (await wallets.hasPaid(db, { senderId, recipientId, before: now() }))
  return isExempt ? 0 : seconds
}
