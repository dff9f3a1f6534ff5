import type { Leg } from '@tern/ledger/movement'
import { type Account, feeAccount, roundingAccount, walletAccount } from '@tern/ledger/chart'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'
import { deskAccounts, type Wallet, type Wallets } from '../wallets/wallets.ts'
import type { Price } from './price.ts'

interface PricedMovement {
  readonly price: Price
  readonly from: Pick<Wallet, 'id'> | Account
  readonly to: Pick<Wallet, 'id'>
}

/** Leg between accounts whose ids are not resolved yet. */
type LegStep = Pick<Leg, 'amount' | 'code'> & { readonly from: Account; readonly to: Account }

/**
 * Returns the ledger legs of `price`, with its fee and rounding residue. The payee is a wallet; the payer is a wallet,
 * the same or another, or the settlement account of a deposit.
 */
export async function buildLegs(
  { wallets }: { readonly wallets: Pick<Wallets, 'accountIds'> },
  db: Db,
  movement: PricedMovement,
): Promise<Leg[]> {
  const steps = listSteps(movement)
  const accounts = steps.flatMap(({ from, to }) => [from, to])
  const ids = await wallets.accountIds(db, accounts)
  return steps.map(({ amount, code }, index) => ({
    from: ids[2 * index] as bigint,
    to: ids[2 * index + 1] as bigint,
    amount,
    code,
  }))
}

function listSteps({ price, from, to }: PricedMovement): LegStep[] {
  const { source, target, fee } = price
  const isOutside = 'kind' in from
  const payer = isOutside ? from : walletAccount(from.id, source.currency)
  const payee = walletAccount(to.id, target.currency)
  const steps =
    source.currency === target.currency
      ? [{ from: payer, to: payee, amount: source.minor, code: isOutside ? 'deposit' : 'send' } as const]
      : conversionSteps(price, { account: payer, code: isOutside ? 'deposit' : 'exchange' }, payee)
  if (fee.minor === 0n) return steps
  return [...steps, { from: payer, to: feeAccount(fee.currency), amount: fee.minor, code: 'fee' }]
}

function conversionSteps(
  { source, target, crossing }: Price,
  payer: { readonly account: Account; readonly code: 'deposit' | 'exchange' },
  payee: Account,
): LegStep[] {
  const sourceDesk = deskAccounts(source.currency)
  const targetDesk = deskAccounts(target.currency)
  // A side that is already in the bridge currency skips its half of the crossing.
  const isBridge = (currency: CurrencyCode) => crossing !== undefined && currency === bridgeCurrency
  const entry = isBridge(source.currency) ? sourceDesk.stablecoin : sourceDesk.own
  const steps: LegStep[] = [{ from: payer.account, to: entry, amount: source.minor, code: payer.code }]
  if (crossing) {
    const { outflow, residue } = crossing
    const bridgeOrigin = sourceDesk.stablecoin
    const bridgeTarget = isBridge(target.currency) ? payee : targetDesk.stablecoin
    steps.push({ from: bridgeOrigin, to: bridgeTarget, amount: outflow.minor, code: 'exchange' })
    if (residue.minor > 0n) {
      steps.push({ from: bridgeOrigin, to: roundingAccount(bridgeCurrency), amount: residue.minor, code: 'rounding' })
    }
  }
  if (!isBridge(target.currency)) {
    steps.push({ from: targetDesk.own, to: payee, amount: target.minor, code: 'exchange' })
  }
  return steps
}
