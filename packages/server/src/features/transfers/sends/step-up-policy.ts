import type { Money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { Exchange, Price } from '../../exchange/exchange.ts'
import type { Party, Wallets } from '../../wallets/wallets.ts'

/**
 * Above which value, in US dollar cents, a send needs a fresh proof: to somebody the sender has not paid before, or
 * first less than a day ago, and to anybody. For a new payee it is what they are sent within a day that counts, so that
 * many small sends open no way for a large one.
 */
const stepUpAboveUsdMinor = { newPayee: 10_000n, anybody: 100_000n } as const

const newPayeeHours = 24

/** A transfer as far as it has to be trusted. */
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

/** Which transfers need a fresh proof of their sender. */
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
    if (!exchange.hasRates()) {
      // A quote outlives its rates. In its own currency it tells what the rest is worth; in another that is not known.
      return (
        sums.some(({ currency }) => currency !== source.currency) ||
        sums.some(({ minor }) => minor * usdMinor > limitUsdMinor * source.minor)
      )
    }
    const { values } = exchange.currentRates()
    const worth = sums.map((sum) => convert(sum, 'USD', crossRate(values, sum.currency, 'USD'), 'up').minor)
    return worth.reduce((total, minor) => total + minor, 0n) > limitUsdMinor
  }

  return {
    /** Whether a transfer needs no proof whatever else is sent beside it: to a payee of longer standing, not too much. */
    isTrusted: (send: Candidate) => isTrusted(send),
    /**
     * Whether a transfer needs a proof, by what its sender has sent this recipient. Until the transaction ends no other
     * one, in whatever process, decides about the two: so ask it before anything else in the transaction that makes the
     * transfer.
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
