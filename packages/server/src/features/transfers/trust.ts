import type { Money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { createTurns } from '../../turns.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import type { Party, Wallets } from '../wallets/wallets.ts'

/**
 * Above which value, in US dollar cents, a send needs a fresh proof: to somebody the sender has not paid before, or
 * first less than a day ago, and to anybody. For a new payee it is what they are sent within a day that counts, so that
 * many small sends open no way for a large one.
 */
const provenAboveUsdMinor = { newPayee: 10_000n, anybody: 100_000n } as const

const newPayeeHours = 24

/** The two sides of a transfer. */
export interface Between {
  readonly senderId: bigint
  readonly recipientId: bigint
}

/** A transfer as far as it has to be trusted. */
interface Candidate {
  readonly sender: Pick<Party, 'userId'>
  readonly recipient: Pick<Party, 'userId'>
  readonly price: Pick<Price, 'source' | 'usdMinor'>
}

/** Which transfers need a fresh proof of their sender. */
export interface Trust {
  /** Whether a transfer needs no proof whatever else is sent beside it: to a payee of longer standing, not too much. */
  isTrusted(send: Candidate): Promise<boolean>
  /** Whether a transfer needs a proof. What is asked and done `inTurn` cannot overlook another transfer beside it. */
  needsProof(send: Candidate): Promise<boolean>
  /** One after another for each sender and recipient. */
  readonly inTurn: <T>(between: Between, work: () => Promise<T>) => Promise<T>
}

interface Options {
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
}

export function createTrust({ wallets, exchange, now }: Options): Trust {
  const turns = createTurns()
  const aDayAgo = () => new Date(now().getTime() - newPayeeHours * 3_600_000)

  async function isTrusted({ sender, recipient, price }: Candidate): Promise<boolean> {
    if (price.usdMinor > provenAboveUsdMinor.anybody) return false
    return wallets.hasPaid(sender.userId, recipient.userId, aDayAgo())
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
    isTrusted,
    async needsProof(send) {
      const { sender, recipient, price } = send
      if (await isTrusted(send)) return false
      if (price.usdMinor > provenAboveUsdMinor.newPayee) return true
      const earlier = await wallets.sentSince(sender.userId, recipient.userId, aDayAgo())
      return areWorthMore(earlier, provenAboveUsdMinor.newPayee - price.usdMinor, price)
    },
    inTurn: ({ senderId, recipientId }, work) => turns(`${senderId} ${recipientId}`, work),
  }
}
