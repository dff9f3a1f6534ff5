import type { Reply } from '@tern/contract/endpoint'
import type { depositByCard, paymentStatus } from '@tern/contract/payments'
import type { CardProvider, EventHeaders } from '@tern/providers/card/port'
import type pg from 'pg'
import { refuse } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import { type CardDeposit, createCardDeposits } from './card-deposit.ts'
import { createSettlement, type Log, type PaymentRow } from './settlement.ts'

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
  /**
   * Asks the provider about every pending payment it was last asked about before `askedBefore` (a minute ago, unless
   * named), those that waited longest first. What fails is logged and keeps no other payment waiting.
   */
  checkPending(askedBefore?: Date): Promise<void>
}

interface Options {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly card: CardProvider
  readonly providerName: string
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: Log
}

const checkAfterMs = 60_000
const mostAtOnce = 500

/** Money from cards. The provider's signed event moves it, whether or not the browser ever comes back. */
export function createPayments(options: Options): Payments {
  const { pool, now, log } = options
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
      // That somebody has to look at a payment is for operators; for its owner it has not been decided.
      const status = payment.status === 'needs_review' ? 'pending' : payment.status
      return { status, transaction_id: payment.transaction_id }
    },
    async checkPending(askedBefore = new Date(now().getTime() - checkAfterMs)) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from payment where status = 'pending' and session_id is not null and asked_at < $1
          order by asked_at limit $2`,
        [askedBefore, mostAtOnce],
      )
      for (const { id } of rows) {
        try {
          await settlement.check(id)
        } catch (error) {
          log.error({ err: error, paymentId: id }, 'a payment could not be checked')
        }
      }
    },
  }
}
