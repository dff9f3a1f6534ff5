// Records orders and their responses, from which the expected books are computed.

import { Refused } from '@tern/contract/protocol/client'

/** Codes of responses after which the request may be resent under its key and may still be executed. */
const undecidedCodes: ReadonlySet<string> = new Set([
  'request_in_progress',
  'rate_limited',
  'too_many_attempts',
  'step_up_required',
  'step_up_invalid',
  'verification_required',
])

/** Returns whether a response rules out any movement under this key. */
export const isDefiniteRefusal = (status: number, code: string): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429 && !undecidedCodes.has(code)

export type OrderAnswer =
  /** `id` of the payment, payout or transaction. */
  { readonly status: 'accepted'; readonly id: string } | { readonly status: 'refused'; readonly code: string }

/** Kind of order: `wallet_send` and `exchange` move money at once, the others once the provider reports it. */
export type OrderKind = 'wallet_send' | 'exchange' | 'deposit' | 'payment_send' | 'withdrawal'

/** Order as intended, with amounts in minor units. */
export interface Order {
  readonly kind: OrderKind
  readonly key: string
  readonly userId: number
  /** Only for sends. */
  readonly recipientId?: number
  readonly sourceCurrency: string
  readonly source: bigint
  readonly targetCurrency: string
  readonly viaStablecoin: boolean
  /** The wallet pays its balance and a card the rest. */
  readonly isSplitPayment?: boolean
  /** Source of the money, for deposits and externally paid sends. */
  readonly externalSource?: 'card' | 'bank'
  readonly quoteId?: string
  /** Target and fee that the quote promised, in minor units. */
  readonly quoteAmounts?: { readonly target: bigint; readonly fee: bigint }
}

export type OrderBook = ReturnType<typeof createOrderBook>

/** Creates a record of all orders with their definite responses, including late ones. */
export function createOrderBook() {
  const orders = new Map<string, { order: Order; answers: OrderAnswer[] }>()
  let accepted = 0
  return {
    /** Records an order before it is sent; repeated calls have no effect. */
    record(order: Order): void {
      if (!orders.has(order.key)) orders.set(order.key, { order, answers: [] })
    },
    orderOf: (key: string): Order | undefined => orders.get(key)?.order,
    answer(key: string, answer: OrderAnswer): void {
      const entry = orders.get(key)
      if (!entry) throw new Error(`${key} was answered and never ordered`)
      if (answer.status === 'accepted' && !entry.answers.some(({ status }) => status === 'accepted')) accepted += 1
      entry.answers.push(answer)
    },
    entries: (): readonly { readonly order: Order; readonly answers: readonly OrderAnswer[] }[] => [...orders.values()],
    accepted: () => accepted,
  }
}

/** Paths to which orders are sent; calls to other paths may carry the same key. */
const orderPaths: Readonly<Record<OrderKind, readonly string[]>> = {
  wallet_send: ['/payment/transfer'],
  exchange: ['/exchange'],
  deposit: ['/payment/deposit', '/payment/deposit/card'],
  payment_send: ['/payment/direct-payment'],
  withdrawal: ['/payment/withdraw'],
}

export type OrderWatch = ReturnType<typeof createOrderWatch>

/** Watches call attempts and records definite responses to orders. */
export function createOrderWatch(book: OrderBook) {
  const counts = new Map<string, number>()
  const attempts = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

  function recordAccepted(key: string, body: unknown): void {
    count('accepted')
    const { payout_id: payout, payment_id: payment, transaction_id: transaction } = body as Record<string, unknown>
    const id = [payout, payment, transaction].find((candidate) => typeof candidate === 'string')
    if (typeof id === 'string') book.answer(key, { status: 'accepted', id })
  }

  function recordFailure(key: string, error: unknown): void {
    if (!(error instanceof Refused)) return void count('no answer')
    const { status, code } = error
    count(`${status} ${code}`)
    if (isDefiniteRefusal(status, code)) book.answer(key, { status: 'refused', code })
  }

  return {
    /** Number of responses by kind; `no answer` counts aborted and lost ones. */
    counts,
    /** Number of attempts, by order key. */
    attempts,
    watch(path: string, key: string | undefined, attempt: Promise<unknown>): void {
      const order = key === undefined ? undefined : book.orderOf(key)
      if (!order || !orderPaths[order.kind].includes(path)) return
      attempts.set(order.key, (attempts.get(order.key) ?? 0) + 1)
      const recording = attempt
        .then(
          (body) => recordAccepted(order.key, body),
          (error: unknown) => recordFailure(order.key, error),
        )
        .finally(() => pending.delete(recording))
      pending.add(recording)
    },
    async drain(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
