import type { Money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { buildFirstId } from '../../../platform/ids.ts'
import { type Party, arrivalSql, foldText } from '../../wallets/wallets.ts'
import type { PayeeWarningPolicyRow } from '../row-types.ts'
import type { Name, PayeeFacts, WarningPolicy } from './patterns.ts'

const dayMs = 86_400_000
/** Periods before the current one, whose average number of new senders is the usual one. */
const usualPeriods = 4
const maxKnownPayees = 200
/** Newest receipts of a payee that are examined. */
const maxReceipts = 2000

export interface NewestPolicy extends WarningPolicy {
  readonly version: number
  readonly strangersDays: number
  readonly reportedDays: number
  readonly refusedCallHours: number
  readonly validMinutes: number
}

/** Reads the policy in force. */
export async function readWarningPolicy(db: Db): Promise<NewestPolicy> {
  const { rows } = await db.query<PayeeWarningPolicyRow>(
    'select * from payee_warning_policy order by version desc limit 1',
  )
  const [row] = rows
  if (!row) throw new Error('there is no policy of warnings')
  return {
    version: row.version,
    knownDays: row.known_days,
    newAccountDays: row.new_account_days,
    strangersDays: row.strangers_days,
    strangersFrom: row.strangers_from,
    strangersTimes: row.strangers_times,
    reportedDays: row.reported_days,
    unknownUsdMinor: row.unknown_usd_minor,
    textUsdMinor: row.text_usd_minor,
    sharePercent: row.share_percent,
    shareUsdMinor: row.share_usd_minor,
    refusedCallHours: row.refused_call_hours,
    validMinutes: row.valid_minutes,
    words: row.words as WarningPolicy['words'],
  }
}

interface FactsRow {
  readonly created_at: Date
  readonly arrived_at: Date | null
  readonly strangers: number
  readonly strangers_before: number
  readonly is_reported: boolean
  readonly known_payees: readonly Name[]
  readonly call: PayeeFacts['call']
}

/**
 * SQL: facts about payee `$2` of sender `$1` at `$3`. New senders are counted among the newest receipts only. A case
 * counts once it is confirmed: it then holds every payment to the payee, so that a warning discloses nothing more.
 */
const payeeFactsSql = `
  with receipt as (
    select r.id, r.sender_id, r.created_at from transaction r
     where r.user_id = $2 and r.kind = 'RECEIVE' and r.status = 'COMPLETED' and r.id >= $4::uuid and r.sender_id <> $1
     order by r.id desc limit ${maxReceipts}),
  first_payment as (
    select sender_id, min(created_at) as paid_at from receipt
     where not exists (select from transaction earlier where earlier.user_id = receipt.sender_id
                          and earlier.recipient_id = $2 and earlier.kind = 'SEND' and earlier.created_at < $5)
     group by sender_id)
  select payee.created_at, ${arrivalSql('$1::bigint', '$2::bigint', '$3::timestamptz')} as arrived_at,
      (select count(*)::int from first_payment where paid_at >= $6) as strangers,
      (select count(*)::int from first_payment where paid_at < $6) as strangers_before,
      exists (select from receipt r join dispute d on d.user_id = r.sender_id and d.transaction_id = r.id
               where d.kind in ('unauthorized', 'not_received') and d.state in ('open', 'upheld') and d.opened_at >= $7)
        or exists (select from compliance_case c where c.user_id = $2 and c.state = 'confirmed') as is_reported,
      coalesce((select jsonb_agg(jsonb_build_object('username', u.username,
                  'name', case when u.kyc_status = 'verified' then u.name end))
         from (select recipient_id from transaction where user_id = $1 and kind = 'SEND' and status = 'COMPLETED'
                group by recipient_id order by max(created_at) desc limit ${maxKnownPayees}) paid
         join app_user u on u.id = paid.recipient_id and u.id <> $2), '[]') as known_payees,
      case when exists (select from desk_call where user_id = $1 and ended_at is null and expires_at > now()) then 'on'
           when exists (select from desk_call_alert where user_id = $1
                           and raised_at > now() - make_interval(hours => $8)) then 'refused'
           else 'none' end as call
    from app_user payee where payee.id = $2`

interface FactsInput {
  readonly policy: NewestPolicy
  readonly senderId: bigint
  readonly payee: Party
  readonly amount: Money
  readonly usdMinor: bigint
  readonly balanceMinor: bigint
  readonly description: string
  readonly at: Date
}

/** Reads the facts about a payment that is about to be sent; undefined for an unknown payee. */
export async function readPayeeFacts(db: Db, input: FactsInput): Promise<PayeeFacts | undefined> {
  const { policy, senderId, payee, amount, usdMinor, balanceMinor, description, at } = input
  const before = (days: number) => new Date(at.getTime() - days * dayMs)
  const from = before(Math.max(policy.strangersDays * (usualPeriods + 1), policy.reportedDays))
  const { rows } = await db.query<FactsRow>(payeeFactsSql, [
    senderId,
    payee.userId,
    at,
    buildFirstId(from),
    before(policy.strangersDays * (usualPeriods + 1)),
    before(policy.strangersDays),
    before(policy.reportedDays),
    policy.refusedCallHours,
  ])
  const [row] = rows
  if (!row) return undefined
  // not money: days
  const daysSince = (time: Date) => Math.floor((at.getTime() - time.getTime()) / dayMs)
  return {
    payee: { username: payee.username, name: payee.name },
    payeeAgeDays: daysSince(row.created_at),
    firstPaidDays: row.arrived_at === null ? null : daysSince(row.arrived_at),
    strangers: row.strangers,
    usualStrangers: row.strangers_before / usualPeriods,
    isReported: row.is_reported,
    knownPayees: row.known_payees,
    call: row.call,
    usdMinor,
    amountMinor: amount.minor,
    balanceMinor,
    description: foldText(description),
  }
}
