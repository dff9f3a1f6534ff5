import type { Money } from '@tern/money/money'
import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { Exchange, Price } from '../../exchange/exchange.ts'
import type { Party, Wallets } from '../../wallets/wallets.ts'

/**
 * Sends above these values, in US dollar cents, need a step-up confirmation. A payee is new until a day after the sender
 * first paid them; for a new payee everything sent within a day counts together, so that a large send cannot be split
 * into small ones.
 */
const stepUpAboveUsdMinor = { newPayee: 10_000n, anybody: 100_000n } as const

const newPayeeHours = 24

/** What decides whether a transfer needs a confirmation. */
interface Candidate {
  readonly sender: Pick<Party, 'userId'>
  readonly recipient: Pick<Party, 'userId'>
  readonly price: Pick<Price, 'source' | 'usdMinor'>
}

interface Options {
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
}

/** Decides which transfers their sender must confirm. */
export function createStepUpPolicy({ wallets, exchange, now }: Options) {
  const aDayAgo = () => new Date(now().getTime() - newPayeeHours * 3_600_000)

  async function isTrusted({ sender, recipient, price }: Candidate, db?: Queryable): Promise<boolean> {
    if (price.usdMinor > stepUpAboveUsdMinor.anybody) return false
    return wallets.hasPaid(sender.userId, recipient.userId, aDayAgo(), db)
  }

  function areWorthMore(
    sums: readonly Money[],
    limitUsdMinor: bigint,
    { source, usdMinor }: Candidate['price'],
  ): boolean {
    if (sums.length === 0) return false
    if (!sums.every(({ currency }) => exchange.hasRate(currency))) {
      // A quote outlives the rates. It tells what sums in its own currency are worth; the worth of others is unknown.
      return (
        sums.some(({ currency }) => currency !== source.currency) ||
        sums.some(({ minor }) => minor * usdMinor > limitUsdMinor * source.minor)
      )
    }
    return sums.reduce((total, sum) => total + exchange.usdMinorOf(sum), 0n) > limitUsdMinor
  }

  return {
    /** Whether a transfer needs no confirmation, whatever else is sent: the payee is not new, and the amount not too high. */
    isTrusted: (send: Candidate) => isTrusted(send),
    /**
     * Whether a transfer needs a confirmation, by what its sender has sent this recipient. Until the transaction ends, no
     * other transaction in any process decides about the same two people, so call this first in the transaction that makes
     * the transfer.
     */
    async needsStepUp(tx: Tx, send: Candidate): Promise<boolean> {
      const { sender, recipient, price } = send
      await lockName(tx, `sends of ${sender.userId} to ${recipient.userId}`)
      if (await isTrusted(send, tx)) return false
      if (price.usdMinor > stepUpAboveUsdMinor.newPayee) return true
      const earlier = await wallets.sentSince(tx, sender.userId, recipient.userId, aDayAgo())
      return areWorthMore(earlier, stepUpAboveUsdMinor.newPayee - price.usdMinor, price)
    },
  }
}

export type StepUpPolicy = ReturnType<typeof createStepUpPolicy>
