import type { UndoWindow } from '@tern/contract/transfers'
import type pg from 'pg'
import type { Wallets } from '../../wallets/wallets.ts'

/** Of people who have chosen nothing. */
const unlessChosen: UndoWindow = { seconds: 15, applies_to: 'new_payees' }

interface Options {
  readonly pool: pg.Pool
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly now: () => Date
}

/** For how long people can take back what they send, as they have chosen. */
export function createUndoWindows({ pool, wallets, now }: Options) {
  /** What somebody has chosen, or what holds for those who have chosen nothing. */
  async function view(userId: bigint): Promise<UndoWindow> {
    const { rows } = await pool.query<UndoWindow>('select seconds, applies_to from undo_window where user_id = $1', [
      userId,
    ])
    return rows[0] ?? unlessChosen
  }

  return {
    view,
    /** Replaces what somebody has chosen. */
    async set(userId: bigint, { seconds, applies_to: appliesTo }: UndoWindow): Promise<UndoWindow> {
      await pool.query(
        `insert into undo_window (user_id, seconds, applies_to, updated_at) values ($1, $2, $3, $4)
         on conflict (user_id) do update
           set seconds = excluded.seconds, applies_to = excluded.applies_to, updated_at = excluded.updated_at`,
        [userId, seconds, appliesTo, now()],
      )
      return { seconds, applies_to: appliesTo }
    },
    /** For how many seconds a send to this payee can be taken back; 0 when it is final at once. */
    async secondsFor(senderId: bigint, recipientId: bigint): Promise<number> {
      const { seconds, applies_to: appliesTo } = await view(senderId)
      if (seconds === 0 || appliesTo === 'nobody') return 0
      const payment = { senderId, recipientId, before: now() }
      const isExempt = appliesTo === 'new_payees' && (await wallets.hasPaid(pool, payment))
      return isExempt ? 0 : seconds
    },
  }
}

export type UndoWindows = ReturnType<typeof createUndoWindows>
