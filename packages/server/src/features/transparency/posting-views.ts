// Views of a posting: what it changed for each user, computed from its entries alone, so that the same facts can be
// stated again at any time.

import type { ExactAmount } from '@tern/transparency/exact-amount'
import type { BalanceChange, ViewFacts } from '@tern/transparency/view-facts'
import type { LoggedPosting, PostingEntry } from './logged-postings.ts'

/** User whose wallet a posting changes. */
export interface ViewParty {
  readonly userId: bigint
  readonly walletId: string
  /** Name at the time of logging. */
  readonly name: string
  /** Accounts that were deleted before their posting was logged get no view that anyone can open. */
  readonly isDeleted: boolean
}

export interface ViewNames {
  readonly fromName: string
  readonly toName: string
}

export const noNames: ViewNames = { fromName: '', toName: '' }

/** Wallets that a posting changes, in a fixed order. */
export const listWallets = ({ entries }: LoggedPosting): string[] =>
  [...new Set(entries.flatMap(({ walletId }) => walletId ?? []))].toSorted()

type SummedEntry = Pick<PostingEntry, 'currency' | 'scale' | 'amount'>

/** Sums amounts by currency, without zero sums. */
function sumByCurrency(entries: readonly SummedEntry[]): ExactAmount[] {
  const sums = new Map<string, ExactAmount>()
  for (const { currency, scale, amount } of entries) {
    sums.set(currency, { currency, scale, minor: (sums.get(currency)?.minor ?? 0n) + amount })
  }
  return [...sums.values()].filter(({ minor }) => minor !== 0n)
}

const sumOfWallet = ({ entries }: LoggedPosting, walletId: string): ExactAmount[] =>
  sumByCurrency(entries.filter((entry) => entry.walletId === walletId))

const isReceiver = (posting: LoggedPosting, walletId: string): boolean =>
  sumOfWallet(posting, walletId).some(({ minor }) => minor > 0n)

const isPayer = (posting: LoggedPosting, walletId: string): boolean =>
  sumOfWallet(posting, walletId).some(({ minor }) => minor < 0n) || !isReceiver(posting, walletId)

/** Returns the names of payer and recipient, each empty without one or with several. */
export function nameParties(posting: LoggedPosting, parties: readonly ViewParty[]): ViewNames {
  const name = (matches: (posting: LoggedPosting, walletId: string) => boolean): string => {
    const found = parties.filter(({ walletId }) => matches(posting, walletId))
    return found.length === 1 ? (found[0]?.name ?? '') : ''
  }
  return { fromName: name(isPayer), toName: name(isReceiver) }
}

/** Amount that arrived in a wallet; undefined unless exactly one did. */
function findDelivered(posting: LoggedPosting): ExactAmount | undefined {
  const received = listWallets(posting).flatMap((walletId) =>
    sumOfWallet(posting, walletId).filter(({ minor }) => minor > 0n),
  )
  return received.length === 1 ? received[0] : undefined
}

/** Fee that the payer paid; undefined for the recipient, and unless it is in one currency. */
function findFee(posting: LoggedPosting, walletId: string): ExactAmount | undefined {
  const isOnlyParty = listWallets(posting).length === 1
  if (!isOnlyParty && !isPayer(posting, walletId)) return undefined
  const fees = sumByCurrency(posting.entries.filter(({ accountKind }) => accountKind === 'fee'))
  return fees.length === 1 ? fees[0] : undefined
}

/** States what a posting changed for the owner of a wallet. */
export function buildViewFacts(posting: LoggedPosting, walletId: string, names: ViewNames): ViewFacts {
  const { id, reference, kind, time, entries } = posting
  const own = entries.filter((entry) => entry.walletId === walletId)
  const listChanges = (accountKind: string, part: BalanceChange['part']): BalanceChange[] =>
    sumByCurrency(own.filter((entry) => entry.accountKind === accountKind)).map(({ currency, scale, minor }) => ({
      part,
      currency,
      scale,
      minor,
    }))
  const fee = findFee(posting, walletId)
  const delivered = findDelivered(posting)
  return {
    postingId: id,
    reference,
    kind,
    time,
    changes: [...listChanges('wallet', 'available'), ...listChanges('hold', 'on_hold')],
    ...(fee === undefined ? {} : { fee }),
    ...(delivered === undefined ? {} : { delivered }),
    ...names,
  }
}
