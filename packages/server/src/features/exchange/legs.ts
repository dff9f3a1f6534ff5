import type { Leg } from '@tern/ledger/movement'
import { type Account, feeAccount, roundingAccount, walletAccount } from '@tern/ledger/chart'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { deskAccounts, type Wallet } from '../wallets/wallets.ts'
import type { Price } from './price.ts'

type AccountIdOf = (account: Account) => Promise<bigint>

/**
 * The legs that carry `price` from one wallet into another, or between two balances of one, with fee and residue. From
 * outside it comes through a settlement account.
 */
export async function legsOf(
  price: Price,
  from: Pick<Wallet, 'id'> | Account,
  to: Pick<Wallet, 'id'>,
  { accountId }: { readonly accountId: AccountIdOf },
): Promise<Leg[]> {
  const { source, target, fee } = price
  const isOutside = 'kind' in from
  const [payer, payee] = await Promise.all([
    accountId(isOutside ? from : walletAccount(from.id, source.currency)),
    accountId(walletAccount(to.id, target.currency)),
  ])
  const legs: Leg[] =
    source.currency === target.currency
      ? [{ from: payer, to: payee, amount: source.minor, code: isOutside ? 'deposit' : 'send' }]
      : await conversionLegs(price, { account: payer, code: isOutside ? 'deposit' : 'exchange' }, payee, accountId)
  if (fee.minor > 0n) {
    legs.push({ from: payer, to: await accountId(feeAccount(fee.currency)), amount: fee.minor, code: 'fee' })
  }
  return legs
}

async function conversionLegs(
  { source, target, crossing }: Price,
  payer: { readonly account: bigint; readonly code: 'deposit' | 'exchange' },
  payee: bigint,
  accountId: AccountIdOf,
): Promise<Leg[]> {
  const sourceDesk = deskAccounts(source.currency)
  const targetDesk = deskAccounts(target.currency)
  // A balance that is itself in the bridge currency steps onto, or off, the stablecoin side at once.
  const isBridge = (currency: CurrencyCode) => crossing !== undefined && currency === bridgeCurrency
  const entry = await accountId(isBridge(source.currency) ? sourceDesk.stablecoin : sourceDesk.own)
  const legs: Leg[] = [{ from: payer.account, to: entry, amount: source.minor, code: payer.code }]
  if (crossing) {
    const near = await accountId(sourceDesk.stablecoin)
    const far = isBridge(target.currency) ? payee : await accountId(targetDesk.stablecoin)
    legs.push({ from: near, to: far, amount: crossing.outflow.minor, code: 'exchange' })
    if (crossing.residue.minor > 0n) {
      const rounding = await accountId(roundingAccount(bridgeCurrency))
      legs.push({ from: near, to: rounding, amount: crossing.residue.minor, code: 'rounding' })
    }
  }
  if (!isBridge(target.currency)) {
    legs.push({ from: await accountId(targetDesk.own), to: payee, amount: target.minor, code: 'exchange' })
  }
  return legs
}
