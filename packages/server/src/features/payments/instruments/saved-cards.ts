import type { chooseCard, paymentMethods, SavedCard } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { KeptCard } from '@tern/providers/card/port'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { DetachInstrument } from './detach-instrument.ts'
import type { PaymentContext } from '../context.ts'
import { chooseMethod, countMethods, lockMethods, removeMethod } from './default-instrument.ts'

export interface SavedCards {
  /** The user's saved cards, the default one first. */
  savedCards(userId: bigint): Promise<Reply<typeof paymentMethods>['cards']>
  /** Refuses `not_found`. */
  removeCard(userId: bigint, id: string): Promise<void>
  /** Refuses `not_found`. */
  chooseCard(userId: bigint, id: string): Promise<Reply<typeof chooseCard>>
  /** Passes when this user has saved this card. Refuses `payment_method_not_found`. */
  requireCard(userId: bigint, id: string): Promise<void>
  /** Keeps a card that its owner wanted to be kept; a card that is kept already gets its newer token. */
  keepCard(tx: Tx, userId: bigint, card: KeptCard): Promise<void>
}

interface CardRow {
  readonly id: string
  readonly token: string
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly is_default: boolean
  readonly saved_at: Date
}

const viewOf = (row: CardRow): SavedCard => ({
  id: row.id,
  brand: row.brand,
  last4: row.last4,
  exp_month: row.exp_month,
  exp_year: row.exp_year,
  is_default: row.is_default,
  saved_at: row.saved_at.toISOString(),
})

/** The cards that people chose to keep, known by the provider's token alone. */
export function createSavedCards(context: PaymentContext, detachInstrument: DetachInstrument): SavedCards {
  const { pool, provider, now } = context

  async function rowsOf(userId: bigint): Promise<CardRow[]> {
    const { rows } = await pool.query<CardRow>(
      `select id, token, brand, last4, exp_month, exp_year, is_default, saved_at from saved_card
        where user_id = $1 and provider = $2 and removed_at is null order by is_default desc, id desc`,
      [userId, provider.name],
    )
    return rows
  }

  return {
    savedCards: async (userId) => (await rowsOf(userId)).map(viewOf),

    async removeCard(userId, id) {
      const forgotten = await transact(pool, async (tx) => {
        const token = await removeMethod(tx, 'saved_card', { userId, id, at: now() })
        return token === undefined ? refuse('not_found') : detachInstrument.note(tx, 'saved_card', token)
      })
      await detachInstrument.attempt(forgotten)
    },

    async chooseCard(userId, id) {
      const isOwn = await transact(pool, (tx) => chooseMethod(tx, 'saved_card', userId, id))
      const chosen = isOwn ? (await rowsOf(userId)).find((row) => row.id === id) : undefined
      return chosen ? viewOf(chosen) : refuse('not_found')
    },

    async requireCard(userId, id) {
      const isOwn = (await rowsOf(userId)).some((one) => one.id === id)
      if (!isOwn) refuseField('payment_method_not_found', 'paymentMethodId')
    },

    keepCard: (tx, userId, card) => keepCard(context, detachInstrument, tx, { userId, card }),
  }
}

async function keepCard(
  { provider, now }: PaymentContext,
  detachInstrument: DetachInstrument,
  tx: Tx,
  { userId, card }: { userId: bigint; card: KeptCard },
): Promise<void> {
  const { token, fingerprint, brand, last4, expMonth, expYear } = card
  await lockMethods(tx, userId)
  const kept = await tx.query<{ id: string; token: string }>(
    `select id, token from saved_card where user_id = $1 and provider = $2 and fingerprint = $3 and removed_at is null`,
    [userId, provider.name, fingerprint],
  )
  const known = kept.rows[0]
  if (known) {
    await tx.query(
      'update saved_card set token = $2, brand = $3, last4 = $4, exp_month = $5, exp_year = $6 where id = $1',
      [known.id, token, brand, last4, expMonth, expYear],
    )
    if (known.token !== token) await detachInstrument.note(tx, 'saved_card', known.token)
    return
  }
  const isFirst = (await countMethods(tx, 'saved_card', userId)) === 0
  const at = now()
  await tx.query(
    `insert into saved_card (id, user_id, provider, token, fingerprint, brand, last4, exp_month, exp_year, is_default,
       saved_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [newId(at), userId, provider.name, token, fingerprint, brand, last4, expMonth, expYear, isFirst, at],
  )
}
