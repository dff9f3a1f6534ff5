import { type CurrencyCode, currencyCodes, currencyOf } from '@tern/money/currency'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { descriptionSql, exchangeSql } from '../description.ts'
import { foldSql } from './fold-text.ts'
import { isKnownSql } from '../transactions.ts'
import type { Direction } from './list-cursor.ts'
import type { SearchableRow } from './search-terms.ts'

/** List row with its keys for filters, order and search. */
export interface ListedRow extends SearchableRow {
  readonly status: string
  /** User id of the counterparty, if any. */
  readonly other_id: bigint | null
  /** Sort key of the description column (`shownSql`). */
  readonly shown: string
  /** Change of this user's balance, in minor units. */
  readonly amount: bigint
}

/** Values of a row for the filters besides time and words. */
export interface Facet {
  readonly kind: string
  readonly status: string
  /** Currency of the changed balance. `secondCurrency` is that of an exchange's target balance, otherwise empty. */
  readonly currency: string
  readonly secondCurrency: string
}

/** SQL: change of the user's balance by a row `t`, in minor units of `currencySql`. */
export const amountSql = `case when t.kind in ('RECEIVE', 'DEPOSIT') then t.target_amount else -(t.source_amount + t.fee_amount) end`

const currencySql = `case when t.kind in ('RECEIVE', 'DEPOSIT') then t.target_currency else t.source_currency end`

/** Distance of currency groups in sort keys; exceeds every amount. */
const groupWidth = 10n ** 40n
const findGroup = (currency: string): number => groupedCodes.findIndex((code) => code === currency) + 1
/** Currencies in the order of lists by amount: fiat currencies, stablecoins, other cryptocurrencies. */
const groupedCodes: readonly CurrencyCode[] = (['fiat', 'stablecoin', 'crypto'] as const).flatMap((kind) =>
  currencyCodes.filter((code) => currencyOf(code).kind === kind),
)

/** Compares currencies by their order in lists by amount. */
export const compareGroups = (a: string, b: string): number => findGroup(a) - findGroup(b)

/**
 * SQL: sort key by amount. Minor units of different currencies are not comparable, so rows are grouped by currency, in
 * the same order of currencies for both directions.
 */
export const groupedSql = (amount: string, currency: string, order: Direction): string =>
  `(${amount} ${order === 'asc' ? '+' : '-'} array_position('{${groupedCodes.join(',')}}'::text[], ${currency}) * ${String(groupWidth)}::numeric)`

export const groupedAmountSql = (order: Direction): string => groupedSql(amountSql, currencySql, order)

/** Splits a key of `groupedSql` into currency and amount. */
export function splitGrouped(key: bigint, order: Direction): { readonly currency: string; readonly amount: bigint } {
  const upwards = order === 'asc' ? key : -key
  const group = (upwards + groupWidth / 2n) / groupWidth
  const amount = upwards - group * groupWidth
  return { currency: groupedCodes[Number(group) - 1] ?? '', amount: order === 'asc' ? amount : -amount } // not money: a place
}

const otherSql = `case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end`

/** Lists are searched and sorted by the English text, whatever language is shown. */
const listedDescription = descriptionSql(currentRequestMessages())

/** SQL: name as a row `t` shows it. Until the whole name may be shown, searches find initials only. */
const shownNameSql = (name: string): string => `case when ${isKnownSql} then ${name} else (
    select string_agg(upper(left(word, 1)) || '.', ' ' order by place)
      from regexp_split_to_table(${name}, '\\s+') with ordinality as w (word, place) where word <> '') end`

const counterpartySql = `(select coalesce(${shownNameSql('other.name')}, other.username) from app_user other where other.id = ${otherSql})`
const titleSql = `coalesce(${counterpartySql}, ${exchangeSql(currentRequestMessages())})`

/**
 * SQL: sort key of the description column, without case and accents: the counterparty or an exchange's two currencies,
 * then the description. The separator sorts below every letter.
 */
export const shownSql = `${foldSql(`concat_ws(chr(1), ${titleSql}, ${listedDescription})`)} collate "C"`

export const listedColumns = `t.user_id, t.id, t.kind, t.status, t.created_at, ${listedDescription} as description, ${shownSql} as shown, t.source_amount,
  t.source_currency, t.target_amount, t.target_currency, t.fee_amount, ${otherSql} as other_id, ${amountSql} as amount,
  u.username as counterparty_username, ${shownNameSql('u.name')} as counterparty_name`

export const transactionFromSql = `from transaction t left join app_user u on u.id = ${otherSql}`

export const toFacet = (row: ListedRow): Facet => {
  const isIncoming = row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
  return {
    kind: row.kind,
    status: row.status,
    currency: isIncoming ? row.target_currency : row.source_currency,
    secondCurrency: row.kind === 'EXCHANGE' ? row.target_currency : '',
  }
}

export const facetKey = (userId: bigint, { kind, status, currency, secondCurrency }: Facet): string =>
  [userId, kind, status, currency, secondCurrency].join(' ')
