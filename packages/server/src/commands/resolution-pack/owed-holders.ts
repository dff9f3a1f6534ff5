// Files of a resolution pack about people and money: who is owed what, the totals, and where the money should be.

import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { balancesAtSql } from '../../features/liabilities/owed-balances.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { csvHead, csvLine } from '../../platform/files/csv.ts'

const rowsPerRead = 2000

interface HolderRow {
  readonly holder: bigint
  readonly name: string | null
  readonly username: string
  readonly email: string
  readonly country: string | null
  readonly currency: CurrencyCode
  readonly available: bigint | null
  readonly on_hold: bigint | null
  readonly verification: string
  readonly frozen_at: Date | null
  readonly is_stopped: boolean
  readonly has_held_case: boolean
  readonly deletion_due_at: Date | null
  readonly deleted_at: Date | null
}

const holdersSql = `select u.id as holder, u.name, u.username, u.email, residence.country, b.currency, b.available, b.on_hold,
    u.kyc_status as verification, u.frozen_at, u.deletion_due_at, u.deleted_at,
    exists (select from compliance_case c where c.user_id = u.id and c.stops = 'person' and c.state <> 'cleared') as is_stopped,
    exists (select from compliance_case c where c.user_id = u.id and c.stops = 'transfers' and c.state <> 'cleared')
      as has_held_case
  from (select user_id, currency, sum(balance) filter (where kind = 'wallet') as available,
            sum(balance) filter (where kind = 'hold') as on_hold
          from (${balancesAtSql}) owed group by user_id, currency having sum(balance) <> 0) b
  join app_user u on u.id = b.user_id
  left join lateral verified_residence(u.id) residence on true
 order by u.id, b.currency collate "C"`

const holderColumns = [
  'holder',
  'name',
  'username',
  'email',
  'country',
  'currency',
  'amount',
  'available',
  'on_hold',
  'verification',
  'restrictions',
] as const

/** Writes a line for each holder and currency, in the order of account numbers. */
export async function* writeHolders(tx: Tx, at: Date): AsyncGenerator<string, void, undefined> {
  yield csvHead(holderColumns)
  await tx.query(`declare owed_holders no scroll cursor for ${holdersSql}`, [at])
  for (;;) {
    const { rows } = await tx.query<HolderRow>(`fetch ${rowsPerRead} from owed_holders`)
    if (rows.length === 0) break
    yield rows.map((row) => csvLine(toCells(row))).join('')
  }
  await tx.query('close owed_holders')
}

function toCells(row: HolderRow): readonly unknown[] {
  const { currency } = row
  const [available, onHold] = [row.available ?? 0n, row.on_hold ?? 0n]
  const format = (minor: bigint) => toDecimal(money(currency, minor))
  return [
    row.holder,
    row.name,
    row.username,
    row.email,
    row.country,
    currency,
    format(available + onHold),
    format(available),
    format(onHold),
    row.verification,
    listRestrictions(row).join(' '),
  ]
}

/** Reasons for which money may not simply be paid out. */
const listRestrictions = (row: HolderRow): readonly string[] => [
  ...(row.is_stopped ? ['compliance_stop'] : []),
  ...(row.has_held_case ? ['compliance_hold'] : []),
  ...(row.frozen_at ? ['frozen_by_holder'] : []),
  ...(row.deletion_due_at ? ['deletion_requested'] : []),
  ...(row.deleted_at ? ['account_closed'] : []),
]

interface TotalRow {
  readonly currency: CurrencyCode
  readonly amount: bigint
  readonly holders: bigint
}

/** Reads the sum of all balances by currency. */
export async function readTotals(db: Db, at: Date): Promise<readonly TotalRow[]> {
  const { rows } = await db.query<TotalRow>(
    `select currency, sum(balance) as amount, count(distinct user_id) filter (where balance <> 0) as holders
       from (${balancesAtSql}) owed group by currency having sum(balance) <> 0 order by currency collate "C"`,
    [at],
  )
  return rows
}

export const writeTotals = (totals: readonly TotalRow[]): readonly string[] => [
  csvHead(['currency', 'amount', 'holders']),
  ...totals.map(({ currency, amount, holders }) => csvLine([currency, toDecimal(money(currency, amount)), holders])),
]

interface MoneyRow {
  readonly place: string
  readonly currency: CurrencyCode
  readonly amount: bigint
  readonly last_at: Date | null
}

const writeMoneyRows = (columns: readonly string[], rows: readonly MoneyRow[]): readonly string[] => [
  csvHead(columns),
  ...rows.map(({ place, currency, amount, last_at: lastAt }) =>
    csvLine([place, currency, toDecimal(money(currency, amount)), ...(lastAt ? [lastAt] : [])]),
  ),
]

/** Writes the money that each provider should have of ours: the movements that it reported and that are posted. */
export async function writeProviders(db: Db): Promise<readonly string[]> {
  const { rows } = await db.query<MoneyRow>(
    `select provider as place, currency, sum(amount_minor) as amount, max(occurred_at) as last_at
       from (select provider, currency, amount_minor, occurred_at from settlement_line
             union all select provider, currency, amount_minor, occurred_at from operator_line) line
      group by provider, currency order by provider, currency collate "C"`,
  )
  return writeMoneyRows(['provider', 'currency', 'amount', 'last_movement'], rows)
}

/** Writes the balances of all other accounts of the ledger. With the totals, each currency sums to zero. */
export async function writeOtherAccounts(db: Db): Promise<readonly string[]> {
  const { rows } = await db.query<MoneyRow>(
    `select split_part(name, '#', 1) as place, currency, sum(balance) as amount, null as last_at
       from ledger.account where kind not in ('wallet', 'hold')
      group by 1, 2 having sum(balance) <> 0 order by 1, currency collate "C"`,
  )
  return writeMoneyRows(['account', 'currency', 'balance'], rows)
}
