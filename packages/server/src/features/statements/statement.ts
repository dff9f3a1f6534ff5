// Statements of one currency: the head, and the lines as callers get them.

import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { StatementHead, StatementLine, StatementTotals } from '@tern/contract/statements'
import type { Issuer } from '@tern/contract/transactions'
import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { ratio, toRateText } from '@tern/money/ratio'
import { onlyRow, type Db } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import type { Messages } from '../../platform/messages.ts'
import type { AppUserRow } from '../identity/row-types.ts'
import { formatDescription, type Wallet } from '../wallets/wallets.ts'
import type { Period } from './period.ts'
import { readMovements, readOpening } from './read-movements.ts'
import { type LineFacts, type LineSums, toLines } from './statement-lines.ts'

export interface StatementInput {
  readonly wallet: Pick<Wallet, 'id' | 'userId'>
  readonly currency: CurrencyCode
  readonly period: Period
}

/** Reads the head of a statement: the account holder, the period, and the balances at its ends. */
export async function readHead(
  { issuer }: { readonly issuer: Issuer },
  db: Db,
  { wallet, currency, period }: StatementInput,
): Promise<StatementHead> {
  const { rows } = await db.query<Pick<AppUserRow, 'username' | 'name'>>(
    'select username, name from app_user where id = $1',
    [wallet.userId],
  )
  const { username, name } = onlyRow(rows)
  const opening = await readOpening(db, { wallet, currencies: [currency], at: period.startsAt })
  const closing = await readOpening(db, { wallet, currencies: [currency], at: period.endsAt })
  const find = (balances: typeof opening, part: 'available' | 'on_hold') =>
    toDecimal(money(currency, balances.find((each) => each.part === part)?.balance ?? 0n))
  return {
    issuer,
    holder: { id: wireId(wallet.userId), username, name },
    currency,
    period: {
      from: period.from,
      to: period.to,
      time_zone: period.timeZone,
      starts_at: period.startsAt.toISOString(),
      ends_at: period.endsAt.toISOString(),
      as_of: period.asOf.toISOString(),
      is_final: period.isFinal,
    },
    opening_balance: find(opening, 'available'),
    closing_balance: find(closing, 'available'),
    on_hold: find(closing, 'on_hold'),
  }
}

/** Lines of one movement, and the position after it. */
export interface MovementLines {
  readonly lines: readonly LineFacts[]
  /** Version of the available balance's last entry. */
  readonly version: bigint
}

/** Reads the lines of a statement, movement by movement; with `after`, those after this version. */
export async function* readLines(
  db: Db,
  { wallet, currency, period, after }: StatementInput & { readonly after?: bigint },
): AsyncGenerator<MovementLines, void, undefined> {
  const { startsAt: from, endsAt: until, asOf } = period
  const query = { wallet, from, until, currencies: [currency], ...(after === undefined ? {} : { after }) }
  for await (const movement of readMovements(db, query)) {
    const last = movement.changes.findLast(({ part }) => part === 'available')
    if (last) yield { lines: toLines({ movement, currency, asOf }), version: last.version }
  }
}

interface LineFormat {
  readonly currency: CurrencyCode
  readonly messages: Messages
}

/** Formats a line for callers, with the product's descriptions in their language. */
export function toStatementLine(line: LineFacts, { currency, messages }: LineFormat): StatementLine {
  const { transaction, counterparty } = line
  const other = line.isConverted && transaction ? findOtherSide(line, transaction) : null
  const { rate_numerator: numerator, rate_denominator: denominator } = transaction ?? {}
  const hasRate = other !== null && numerator && denominator
  return {
    id: line.id,
    at: line.at.toISOString(),
    kind: line.kind,
    status: line.status,
    reference: transaction ? deriveReference(transaction.id) : null,
    transaction_id: transaction?.id ?? null,
    counterparty: counterparty && { ...counterparty, id: wireId(counterparty.id) },
    description: transaction ? formatDescription(messages, transaction.kind, transaction.description) : '',
    amount: toDecimal(money(currency, line.amount)),
    balance: toDecimal(money(currency, line.balance)),
    original_amount: other && toDecimal(other),
    original_currency: other && other.currency,
    rate: hasRate ? toRateText(ratio(numerator, denominator)) : null,
  }
}

/** Amount on the other side of a conversion: what money out became, and what money in came from. */
const findOtherSide = ({ amount }: LineFacts, transaction: NonNullable<LineFacts['transaction']>) =>
  amount > 0n
    ? money(transaction.source_currency, transaction.source_amount)
    : money(transaction.target_currency, transaction.target_amount)

export function toTotals(sums: LineSums, currency: CurrencyCode): StatementTotals {
  const decimal = (minor: bigint) => toDecimal(money(currency, minor))
  return {
    lines: sums.lines,
    money_in: decimal(sums.moneyIn),
    money_out: decimal(sums.moneyOut),
    fees: decimal(sums.fees),
    put_on_hold: decimal(sums.putOnHold),
  }
}
