import { cardAccount, operatingAccount, type OperatingName, payoutAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { BalanceName, OwnKind, OwnLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { type Db, retryOnConflict } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { type CaseFacts, openCase } from '../records/reconciliation-exceptions.ts'

/** Account that takes the other side of a movement of our own money. */
const counterpartOf: Readonly<Record<OwnKind, OperatingName>> = {
  fee: 'provider_fee',
  bank_transfer: 'operator_bank',
  reserve: 'provider_reserve',
  conversion: 'provider_conversion',
  adjustment: 'provider_adjustment',
  unknown: 'suspense',
}

interface ReportedOwnLine {
  readonly provider: string
  readonly line: OwnLine
}

/**
 * Posts a movement of our own money at a provider, once: what left the balance is debited to its counterpart and
 * credited to the settlement account, as a fee is. A movement of an unknown kind goes to suspense, with an exception.
 */
export async function postOperatorLine(ctx: PaymentContext, pool: pg.Pool, reported: ReportedOwnLine): Promise<void> {
  const { mover, wallets, now } = ctx
  const { provider, line } = reported
  const { id, kind, balance, amount, occurredAt } = line
  const { currency } = amount
  const settlement = balance === 'payouts' ? payoutAccount(currency) : cardAccount(currency)
  const settlementId = await wallets.accountId(pool, settlement)
  const counterpartId = await wallets.accountId(pool, operatingAccount(counterpartOf[kind], currency))
  const isOutgoing = amount.minor < 0n
  const leg = {
    from: isOutgoing ? counterpartId : settlementId,
    to: isOutgoing ? settlementId : counterpartId,
    amount: isOutgoing ? -amount.minor : amount.minor,
    code: 'operating',
  } as const
  const postingId = derivedId('operator line', provider, id)
  const movement = {
    id: postingId,
    requestHash: requestHash({ provider, id, kind, balance, amount: amountText(amount) }),
    kind: 'operating',
    reference: derivedId('operator line reference', provider, id),
    legs: [leg],
  }
  await retryOnConflict(pool, async (tx) => {
    const row = { provider, id, kind, balance, amount_minor: amount.minor, currency, posting_id: postingId }
    if (!(await insertRow(tx, 'operator_line', { ...row, occurred_at: occurredAt }, 'on conflict do nothing'))) return
    const outcome = await mover.moveWithin(tx, { movement: { ...movement, at: now() }, rows: [] })
    if (outcome.status !== 'posted') throw new Error(`${id} of ${provider} was not posted: ${JSON.stringify(outcome)}`)
    if (kind !== 'unknown') return
    const detail = { code: 'own_movement_unknown', params: { amount: amountText(amount) } } as const
    await openCase(tx, { kind: 'unmatched', provider, subject: id, amount, happenedAt: occurredAt, detail }, now())
  })
}

/** Movements of our own money in our books: those of a period, and those with the given ids at any time. */
export async function readOperatorLines(
  db: Db,
  { provider, from, until, ids }: { provider: string; from: Date; until: Date; ids: readonly string[] },
): Promise<Map<string, OwnLine>> {
  const { rows } = await db.query<
    Omit<OwnLine, 'amount'> & { readonly minor: bigint; readonly currency: CurrencyCode; readonly balance: BalanceName }
  >(
    `select id, kind, balance, amount_minor as minor, currency, occurred_at as "occurredAt" from operator_line
      where provider = $1 and ((occurred_at >= $2 and occurred_at < $3) or id = any($4))`,
    [provider, from, until, ids],
  )
  return new Map(rows.map(({ minor, currency, ...line }) => [line.id, { ...line, amount: money(currency, minor) }]))
}

/** Exceptions for movements of our own money that the provider has corrected, or no longer has. */
export function operatorLineDifferences(
  provider: string,
  { there, here }: { readonly there: ReadonlyMap<string, OwnLine>; readonly here: ReadonlyMap<string, OwnLine> },
): CaseFacts[] {
  const differences: CaseFacts[] = []
  for (const own of here.values()) {
    const { id: subject, kind: own_kind, amount: ownAmount, occurredAt: happenedAt } = own
    const line = there.get(subject)
    const own_amount = amountText(ownAmount)
    if (!line) {
      const detail = { code: 'not_at_provider', params: { kind: own_kind, amount: own_amount } } as const
      differences.push({ kind: 'missing_external', provider, subject, amount: ownAmount, happenedAt, detail })
    } else if (amountText(line.amount) !== own_amount || line.balance !== own.balance) {
      const { kind, amount } = line
      const params = { kind, amount: amountText(amount), own_kind, own_amount }
      const detail = { code: 'books_differ', params } as const
      differences.push({ kind: 'amount_differs', provider, subject, amount, happenedAt, detail })
    }
  }
  return differences
}
