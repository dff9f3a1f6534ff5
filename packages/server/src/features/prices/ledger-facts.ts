import type { PriceFacts } from '@tern/contract/prices/proof'
import {
  type Account,
  bridgeAccount,
  bridgeStablecoinAccount,
  feeAccount,
  roundingAccount,
  walletAccount,
} from '@tern/ledger/chart'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { Queryable } from '../../platform/database/db.ts'

/** Postings name stripes of system accounts by these numbers; see the ledger's lanes. */
const stripes = Array.from({ length: 64 }, (_, index) => index + 1)
/** Processes' clocks differ by less. */
const skewSeconds = 30

interface Moved {
  readonly reference: string
  /** Of the movement that settled it, by the ways there are. */
  readonly postingIds: readonly string[]
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  /** Whose money arrived. */
  readonly payeeWalletId: string | null
}

interface Change {
  readonly kind: string
  readonly currency: CurrencyCode
  readonly amount: bigint
}

/** The first entry of an account after a time, by binary search, since versions have no gaps. */
const firstAfter = (time: string) => `
  (with recursive search (low, high) as (
     select 1::bigint, a.version + 1
     union all
     select case when e.created_at > ${time} then low else middle + 1 end, case when e.created_at > ${time} then middle else high end
       from (select low, high, (low + high) / 2 as middle from search where low < high) half
      cross join lateral (select created_at from ledger.entry where account_id = a.id and version = half.middle) e)
   select low from search where low = high)`

const changesSql = `
  select a.kind, a.currency, sum(e.amount) as amount
    from ledger.posting p
    cross join ledger.account a
    cross join lateral ${firstAfter(`p.created_at - make_interval(secs => $4)`)} as first(version)
    cross join lateral ${firstAfter(`p.created_at + make_interval(secs => $4)`)} as beyond(version)
    join ledger.entry e on e.account_id = a.id and e.version >= first.version and e.version < beyond.version
      and e.posting_id = p.id
   where p.id = any($1::uuid[]) and p.reference = $2 and p.refusal is null and a.name = any($3::text[])
   group by 1, 2`

const namesOf = ({ name }: Account): string[] => [name, ...stripes.map((stripe) => `${name}#${stripe}`)]

/** What the entries of a settled transaction say of its price; null where it has none. */
export async function ledgerFacts(db: Queryable, moved: Moved): Promise<PriceFacts['ledger']> {
  const { source, target, payeeWalletId, reference, postingIds } = moved
  const payee = payeeWalletId === null ? [] : [walletAccount(payeeWalletId, target).name]
  const desks = [...new Set([source, target])].flatMap((currency) => [
    bridgeAccount(currency),
    bridgeStablecoinAccount(currency),
  ])
  const system = [feeAccount(source), roundingAccount(bridgeCurrency), ...desks].flatMap(namesOf)
  const { rows } = await db.query<Change>(changesSql, [postingIds, reference, [...payee, ...system], skewSeconds])
  if (rows.length === 0) return null
  const sumOf = (kinds: readonly string[], currency: CurrencyCode): bigint =>
    rows
      .filter((row) => kinds.includes(row.kind) && row.currency === currency)
      .reduce((sum, { amount }) => sum + amount, 0n)
  const decimal = (currency: CurrencyCode, minor: bigint) => toDecimal(money(currency, minor))
  const arrived = sumOf(['wallet'], target)
  const residue = sumOf(['rounding'], bridgeCurrency)
  // All accounts of the exchange desk count as one: what came in is what was exchanged.
  const exchanged = sumOf(['bridge', 'bridge_stablecoin', 'rounding'], source)
  return {
    source_amount: decimal(source, source === target ? arrived : exchanged),
    target_amount: decimal(target, arrived),
    fee: decimal(source, sumOf(['fee'], source)),
    residue: source === target ? null : decimal(bridgeCurrency, residue),
  }
}
