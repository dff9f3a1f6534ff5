import type { PriceFacts } from '@tern/contract/prices/proof'
import { walletAccount } from '@tern/ledger/chart'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { Db } from '../../platform/database/db.ts'
import type { AccountRow } from '@tern/ledger/row-types'

interface LedgerMovement {
  readonly reference: string
  /** Possible ids of the movement that settled the transaction. */
  readonly postingIds: readonly string[]
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  readonly payeeWalletId: string | null
}

type BalanceChange = Pick<AccountRow, 'kind' | 'currency'> & { readonly amount: bigint }

/** Kinds of system accounts that a conversion moves money through. */
const deskKinds = ['bridge', 'bridge_stablecoin', 'rounding']
const systemKinds = ['fee', ...deskKinds]

// Entries have the time of their posting, so that the join by time, which is indexed, holds even after clock changes.
const changesSql = `
  select a.kind, a.currency, sum(e.amount) as amount
    from ledger.posting p
    join ledger.entry e on e.created_at = p.created_at and e.posting_id = p.id
    join ledger.account a on a.id = e.account_id
   where p.id = any($1::uuid[]) and p.reference = $2 and p.refusal is null
     and (a.kind = any($3::text[]) or a.name = $4)
   group by 1, 2`

/** Returns the price that the entries of a settled transaction imply; null without entries. */
export async function ledgerFacts(db: Db, movement: LedgerMovement): Promise<PriceFacts['ledger']> {
  const { source, target, payeeWalletId, reference, postingIds } = movement
  const payee = payeeWalletId === null ? null : walletAccount(payeeWalletId, target).name
  const { rows } = await db.query<BalanceChange>(changesSql, [postingIds, reference, systemKinds, payee])
  if (rows.length === 0) return null
  const sumKinds = (kinds: readonly string[], currency: CurrencyCode): bigint =>
    rows
      .filter((row) => kinds.includes(row.kind) && row.currency === currency)
      .reduce((sum, { amount }) => sum + amount, 0n)
  const decimal = (currency: CurrencyCode, minor: bigint) => toDecimal(money(currency, minor))
  const arrivedMinor = sumKinds(['wallet'], target)
  const residue = sumKinds(['rounding'], bridgeCurrency)
  // All accounts of the exchange desk count as one: their inflow is the exchanged amount.
  const exchanged = sumKinds(deskKinds, source)
  return {
    source_amount: decimal(source, source === target ? arrivedMinor : exchanged),
    target_amount: decimal(target, arrivedMinor),
    fee: decimal(source, sumKinds(['fee'], source)),
    residue: source === target ? null : decimal(bridgeCurrency, residue),
  }
}
