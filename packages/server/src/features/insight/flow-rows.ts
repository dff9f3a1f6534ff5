// Classification of a user's completed transactions: spending, income, or own money.

import type { FlowKind } from '@tern/contract/insight'
import type { TransactionKind } from '../wallets/move.ts'

/** SQL: the row `t` needs more than its own columns: a payment, a payout, a dispute, a split or a chosen category. */
const isSpecialSql = `(t.kind = 'SEND' and t.payment_source in ('card', 'bank', 'wallet_partial')
    or t.kind in ('DEPOSIT', 'WITHDRAW')
      and t.description ~ '^(withdrawal_returned|missing_money_paid|dispute_|card_payment_|bank_payment_)'
    or t.id in (select id from special))`

const keySql = `t.kind, case when t.kind in ('DEPOSIT', 'WITHDRAW') then split_part(t.description, ' ', 1) end as code,
        case t.kind when 'SEND' then t.recipient_id when 'RECEIVE' then t.sender_id end as other_id,
        t.source_currency, t.target_currency`

const completedSql = `from transaction t
     where t.user_id = $1 and t.id >= $2 and t.id < $3 and t.status = 'COMPLETED'`

/** SQL: sums of rows that are counted alike. Only special rows are by themselves, with their `id`. */
const groupsSql = `
    select ${keySql}, case when ${isSpecialSql} then t.id end as id, sum(t.source_amount) as source_amount,
        sum(t.target_amount) as target_amount, sum(t.fee_amount) as fee_amount, count(*) as transactions
      ${completedSql}
     group by 1, 2, 3, 4, 5, 6`

/** Kinds of transactions that can be part of a flow, besides special ones. */
const sourceKinds: Readonly<Record<FlowKind, readonly TransactionKind[]>> = {
  spending: ['SEND'],
  income: ['RECEIVE', 'DEPOSIT'],
  added: ['DEPOSIT', 'WITHDRAW'],
  charged: ['SEND'],
  withdrawn: ['DEPOSIT', 'WITHDRAW'],
  exchanged: ['EXCHANGE'],
}

const rowsSql = (kind: FlowKind) => `
    select ${keySql}, t.id, t.source_amount, t.target_amount, t.fee_amount, 1 as transactions
      ${completedSql} and (t.kind in (${sourceKinds[kind].map((source) => `'${source}'`).join(', ')}) or ${isSpecialSql})`

const movedSql = `
    select id, subject_id, other_id, is_guest, transactions,
        case when subject_kind = 'SEND' then 'spending' when subject_kind = 'RECEIVE' or is_guest then 'income'
          when subject_kind = 'EXCHANGE' then 'exchanged'
          when subject_kind = 'WITHDRAW' and subject_id <> id or code in ('withdrawal', 'withdrawal_returned') then 'withdrawn'
          else 'added' end as kind,
        case when kind in ('RECEIVE', 'DEPOSIT') then target_currency else source_currency end as currency,
        case when kind in ('RECEIVE', 'DEPOSIT') then target_amount else -(source_amount + fee_amount) end as amount,
        case when disputed_fee is not null then case kind when 'DEPOSIT' then -disputed_fee else disputed_fee end
          when kind in ('SEND', 'EXCHANGE', 'WITHDRAW') then fee_amount
          when code = 'withdrawal_returned' then (
            select coalesce(sum(r.fee_minor), 0) - max(p.fee_minor) from transaction x
              join payout p on p.id = x.payment_id
              left join dispute_posting r on r.posting_id = x.posting_id and r.kind = 'recovered'
             where x.user_id = $1 and x.id = subject.id)
          else 0 end as fee
      from subject`

const exchangedSql = `
    select id, id, null, false, transactions, 'exchanged', target_currency, target_amount, 0
      from subject where kind = 'EXCHANGE'`

// A held send is paid from the balance, because its payment became a deposit.
const chargedSql = `
    select subject.id, subject.id, null, false, 1, 'charged', subject.source_currency, p.amount_minor, 0
      from subject
      join transaction x on x.user_id = $1 and x.id = subject.id
      join payment p on p.id = x.payment_id
     where subject.kind = 'SEND' and x.payment_source in ('card', 'bank', 'wallet_partial')
       and not exists (select from transfer h where h.id = subject.id and h.held_at is not null)`

/**
 * SQL: common table expressions that end with `flow`: the money of one user's completed transactions between two ids.
 * With a `kind`, one row per transaction, and at least all of this kind; without, sums of transactions that are counted
 * alike. `amount` is signed for the user; `fee` is the part of it that is a fee, below zero for a fee that came back.
 * Money that a dispute gave back, or took again, counts as the disputed transaction, and a reversal of a guest's payment
 * as income. Reads rows of the user only. `$1` is the user, `$2` the first id, `$3` the first id after the last.
 */
export const flowSql = (kind?: FlowKind): string => `
  shared as materialized (
    select r.transaction_id as id from request_payment r join split_part p on p.request_id = r.request_id
     where r.payer_id = $1
    union
    select r.transaction_id from split s join split_part p on p.split_id = s.id
      join request_payment r on r.request_id = p.request_id where s.user_id = $1
  ), disputed as materialized (
    select y.transaction_id as posted_id, y.fee_minor, o.id, o.kind, o.sender_id, o.recipient_id
      from dispute d
      join dispute_posting y on y.dispute_id = d.id
      join transaction o on o.user_id = d.user_id and o.id = d.transaction_id
     where d.user_id = $1 and y.transaction_id is not null
  ), special as materialized (
    select id from shared
    union all select posted_id from disputed
    union all select transaction_id from transaction_category where user_id = $1
  ), base as (${kind === undefined ? groupsSql : rowsSql(kind)}
  ), subject as (
    select base.kind, base.code, base.source_currency, base.target_currency, base.id, base.source_amount,
        base.target_amount, base.fee_amount, base.transactions, coalesce(o.id, base.id) as subject_id,
        coalesce(o.kind, base.kind) as subject_kind, o.fee_minor as disputed_fee,
        case o.kind when 'SEND' then o.recipient_id when 'RECEIVE' then o.sender_id else base.other_id end as other_id,
        base.code is not null and (base.code = 'guest_payment' or o.id is null
          and base.code ~ '^((card|bank)_payment_|missing_money_paid$)' and coalesce((
            select p.purpose = 'request' from transaction x join payment p on p.id = x.payment_id
             where x.user_id = $1 and x.id = base.id), false)) as is_guest
      from base
      left join disputed o on o.posted_id = base.id
  ), moved as (${movedSql}
    ${kind === undefined || kind === 'exchanged' ? `union all${exchangedSql}` : ''}
    ${kind === undefined || kind === 'charged' ? `union all${chargedSql}` : ''}
  ), flow as (
    select moved.*, own.category as own_category, person.category as person_category,
        case when moved.kind in ('spending', 'income') then coalesce(own.category, person.category,
          case when is_guest then 'sales' when shared.id is not null then 'shared' else 'other' end) end as category
      from moved
      left join shared on shared.id = moved.subject_id
      left join transaction_category own on own.user_id = $1 and own.transaction_id = moved.subject_id
      left join counterparty_category person on person.user_id = $1 and person.counterparty_id = moved.other_id
  )`
