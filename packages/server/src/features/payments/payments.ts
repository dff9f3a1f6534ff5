import type { Reply } from '@tern/contract/endpoint'
import type { depositByCard, paymentStatus } from '@tern/contract/payments'
import type { CardProvider, EventHeaders } from '@tern/providers/card/port'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { refuse } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import { type CardDeposit, createCardDeposits } from './card-deposit.ts'
import { createSettlement, type PaymentRow } from './settlement.ts'

export interface Payments {
  /** Begins a card deposit at the provider. Refuses what the contract's `depositByCard` lists. */
  depositByCard(
    caller: Caller,
    request: CardDeposit,
    idempotencyKey: string | undefined,
  ): Promise<Reply<typeof depositByCard>>
  /** How a payment of this user stands. Refuses `not_found`. */
  status(userId: bigint, paymentId: string): Promise<Reply<typeof paymentStatus>>
  /** Takes in one event of the card provider, however often it comes. Throws SignatureError when it is not authentic. */
  receiveCardEvent(rawBody: Buffer, headers: EventHeaders): Promise<void>
  /** Asks the provider about a payment that is still pending; nothing happens while the provider does not know. */
  check(paymentId: string): Promise<void>
  /** The payments still pending that were begun before `before`. */
  pendingSince(before: Date): Promise<string[]>
}

interface Options {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly card: CardProvider
  readonly providerName: string
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: FastifyBaseLogger
}

/** Money from cards. The provider's signed event moves it, whether or not the browser ever comes back. */
export function createPayments(options: Options): Payments {
  const { pool } = options
  const settlement = createSettlement(options)
  return {
    depositByCard: createCardDeposits(options),
    receiveCardEvent: settlement.receiveCardEvent,
    check: settlement.check,
    async status(userId, paymentId) {
      const { rows } = await pool.query<PaymentRow>('select * from payment where id = $1 and user_id = $2', [
        paymentId,
        userId,
      ])
      const payment = rows[0] ?? refuse('not_found')
      return { status: payment.status, transaction_id: payment.transaction_id }
    },
    async pendingSince(before) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from payment where status = 'pending' and session_id is not null and created_at < $1
          order by created_at desc limit 500`,
        [before],
      )
      return rows.map((row) => row.id)
    },
  }
}
