// Audit rules: payments, payouts and provider movements must match the ledger and users' transactions.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { keptReasons } from './records/payment-rows.ts'
import { isLossPaid, reversalKinds } from '../wallets/audit-rules.ts'

// SQL: movements between us and providers, as posted in the ledger and as recorded under the provider's id.
const postedOutsideSql = `
  select e.posting_id, a.kind, a.currency, -sum(e.amount) as amount from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind in ('card_settlement', 'bank_settlement', 'payout_settlement')
   group by e.posting_id, a.kind, a.currency`
const recordedOutsideSql = `
  select l.posting_id, l.currency, sum(l.amount_minor) as amount,
      case when l.kind in ('payout', 'payout_return') then 'payout_settlement' when m.method = 'bank' then 'bank_settlement'
        else 'card_settlement' end as kind
    from settlement_line l left join payment m on m.id = l.reference
   group by l.posting_id, l.currency, 4
  union all
  select posting_id, currency, amount_minor, case balance when 'payouts' then 'payout_settlement' else 'card_settlement' end
    from operator_line
  union all
  select c.posting_id, s.currency, s.amount, 'payout_settlement'
    from payout_conversion c
    cross join lateral (values
      (c.currency, case c.kind when 'payout' then c.amount_minor else -c.amount_minor end),
      (c.cost_currency, case c.kind when 'payout' then -c.cost_minor else c.cost_minor end)
    ) as s(currency, amount)`
// SQL: the other side of movements of our own money at providers, as posted and as recorded.
const postedOperatingSql = `
  select e.posting_id, split_part(a.name, ':', 1) as kind, a.currency, sum(e.amount) as amount from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'operating'
   group by e.posting_id, 2, a.currency`
const recordedOperatingSql = `
  select posting_id, currency, amount_minor as amount, case kind when 'fee' then 'provider_fee' when 'bank_transfer' then 'operator_bank'
      when 'reserve' then 'provider_reserve' when 'conversion' then 'provider_conversion' when 'adjustment' then 'provider_adjustment'
      else 'suspense' end as kind
    from operator_line`

/**
 * SQL: amount received per payment, and amount reversed net of returns. The latter exceeds the former after both a
 * refund and a chargeback of one card payment.
 */
const movedPerPaymentSql = `
  select reference, count(*) filter (where kind in ('capture', 'debit')) as captures,
      coalesce(sum(amount_minor) filter (where kind in ('capture', 'debit')), 0) as came,
      -coalesce(sum(amount_minor) filter (where kind in ${reversalKinds}), 0) as back,
      min(id) filter (where kind in ('capture', 'debit')) as capture_id,
      bool_and(kind in ('capture', 'debit') or kind in ${reversalKinds}) as fits
    from settlement_line group by reference`

/**
 * SQL condition: a send failed for this reason after its money had arrived, so the money is in the payer's wallet.
 */
const isKeptReasonSql = (reason: string) => `${reason} in (${keptReasons.map((kept) => `'${kept}'`).join(', ')})`

const statusMatchesSql = `
  case when m.came is null then p.status in ('pending', 'failed', 'needs_review')
       when m.captures <> 1 or m.came <> p.amount_minor or m.back < 0 or not m.fits
         or m.capture_id is distinct from p.capture_id then false
       when p.purpose = 'send' and p.status = 'failed' then ${isKeptReasonSql('p.reason')}
       else p.status = case when m.back >= m.came then 'reversed' else 'completed' end end`

// SQL: transaction status of a held transfer `h`.
const heldStatusSql = `case h.state when 'settled' then 'COMPLETED' when 'released' then 'FAILED' else 'PENDING' end`

// SQL condition: transaction `t` matches payment `p`. Reversals are separate transactions.
const paymentRowFits = `
  t.user_id = p.user_id and t.payment_source = p.method and t.source_currency = p.currency
  and case t.kind
    when 'SEND' then p.purpose = 'send' and t.recipient_id = p.recipient_id and t.description = p.description
      and t.quote_id is not distinct from p.quote_id and t.source_amount + t.fee_amount = p.amount_minor + p.wallet_part_minor
      and coalesce(p.transaction_id, t.id) = t.id and t.status = case when h.held_at is not null then ${heldStatusSql}
        when p.status in ('completed', 'reversed') then 'COMPLETED' when p.status = 'failed' then 'FAILED' else 'PENDING' end
    when 'DEPOSIT' then t.source_amount + t.fee_amount = p.amount_minor
      and (t.description = case when p.purpose = 'send' and p.holds_transfer and p.status <> 'failed' then 'payment_for_transfer'
        when p.purpose = 'send' then 'payment_for_unmade_transfer'
        when p.purpose = 'request' then 'guest_payment {"name":' || to_json(p.payer_name)::text || '}' when p.method = 'bank' then 'bank_deposit' else 'card_deposit' end)
      and case t.status when 'COMPLETED' then l.kind in ('capture', 'debit') and l.reference = p.id
        when 'PENDING' then p.status in ('pending', 'needs_review') or h.kind = 'deposit' and h.state in ('held', 'processing')
        else p.status = 'failed' or p.transaction_id <> t.id or h.kind = 'deposit' and h.state = 'released' end
    else false end`

// SQL condition: transaction `t` matches a reversal of payment `p`, or the return of one.
const reversalRowFits = `
  t.user_id = p.user_id and l.reference = p.id and t.status = 'COMPLETED' and t.fee_amount = 0
  and t.source_amount = t.target_amount and t.source_currency = t.target_currency
  and t.payment_source = case p.method when 'bank' then 'bank' else 'card' end
  and t.kind = case l.kind when 'chargeback_reversal' then 'DEPOSIT' else 'WITHDRAW' end
  and t.description in (select case p.method when 'bank' then 'bank' else 'card' end || '_payment_' || happened
    from (values ('refund', 'refunded'), ('chargeback', 'taken_back'), ('debit_return', 'returned'),
      ('chargeback_reversal', 'given_back'), ('chargeback_reversal', 'won_back')) as said(kind, happened) where said.kind = l.kind)`

// SQL condition: transaction `t` matches a payer's repayment of the loss of payment `p`.
const lossPaidRowFits = `
  t.user_id = p.user_id and t.kind = 'WITHDRAW' and t.status = 'COMPLETED' and t.fee_amount = 0
  and t.source_amount = t.target_amount and t.source_currency = t.target_currency
  and t.payment_source = case p.method when 'bank' then 'bank' else 'card' end and t.description = 'missing_money_paid'
  and exists (select from reconciliation_exception x where x.id = t.posting_id and x.reference = p.id and x.resolution = 'paid_by_person')`

const payoutRowFits = `
  t.user_id = o.user_id and t.payment_source = 'bank' and t.source_amount = t.target_amount
  and t.fee_amount = case t.kind when 'WITHDRAW' then o.fee_minor else 0 end
  and t.target_amount = o.amount_minor + case t.kind when 'DEPOSIT' then o.fee_minor else 0 end - coalesce((
    select sum(d.amount_minor) from dispute_posting d where d.posting_id = t.posting_id and d.kind = 'recovered'), 0)
  and t.source_currency = o.currency and t.target_currency = o.currency
  and case t.kind
    when 'WITHDRAW' then t.id = o.transaction_id
      and t.description like 'withdrawal {%"last4":"' || b.last4 || '"}'
      and t.status = case o.status when 'failed' then 'FAILED' when 'completed' then 'COMPLETED' when 'returned' then 'COMPLETED'
        else 'PENDING' end
    when 'DEPOSIT' then o.status = 'returned' and l.kind = 'payout_return' and l.reference = o.id
      and t.status = 'COMPLETED' and t.description like 'withdrawal_returned {%'
    else false end`

// SQL condition: transaction `t` matches dispute posting `y`, which names no payment.
const disputeRowFits = `
  t.payment_source is null and t.status = 'COMPLETED' and t.fee_amount = 0 and y.transaction_id = t.id
  and (t.kind, t.description) = (case when y.kind in ('taken_back', 'repaid') then 'WITHDRAW' else 'DEPOSIT' end,
    case y.kind when 'provisional' then 'dispute_credit' when 'final' then 'dispute_refund' when 'repaid' then 'missing_money_paid'
      else 'dispute_credit_taken_back' end)`

const rowNameSql = `split_part(t.description, ' ', 1)`

// SQL: transaction status of an order `r`. A limit or stop order without a row ended unfilled, and was deleted since.
const orderStatusSql = `case when r.id is null then case when t.kind = 'EXCHANGE' and ${rowNameSql} in ('limit_order', 'stop_order')
    then 'FAILED' else 'COMPLETED' end
  when r.state = 'filled' then 'COMPLETED' when r.state in ('open', 'in_review') then 'PENDING' else 'FAILED' end`
const exchangeName = `case when r.id is not null then r.kind || '_order'
  when ${rowNameSql} in ('protection_rule', 'limit_order', 'stop_order') then ${rowNameSql} else 'exchange' end`

const rowMatchesSql = `
  case when p.id is not null then case when l.kind in ${reversalKinds} then ${reversalRowFits}
         when ${isLossPaid('t.posting_id')} then ${lossPaidRowFits} else ${paymentRowFits} end
       when o.id is not null then ${payoutRowFits}
       when t.payment_id is not null then false
       when y.posting_id is not null then ${disputeRowFits}
       when t.kind = 'RECEIVE' then t.payment_source is null
       when t.kind in ('SEND', 'EXCHANGE') then t.payment_source = 'wallet'
         and t.status = case when h.id is null then ${orderStatusSql} else ${heldStatusSql} end
         and (t.kind = 'SEND' or t.description = ${exchangeName} || ' {"from":"' || t.source_currency || '","to":"' || t.target_currency || '"}')
       else false end`

// SQL: integer shares of the reversed amount, rounded as when it was posted: the wallet's share up, the fee's down.
const statedSharesSql = `
  select p.id as payment, s.account, s.currency, sum(s.change) as change
    from payment p
    join (${movedPerPaymentSql}) m on m.reference = p.id and m.came > 0
    join settlement_line c on c.provider = p.provider and c.id = m.capture_id
    left join transaction d on d.user_id = p.user_id and d.posting_id = c.posting_id and d.kind = 'DEPOSIT'
    cross join lateral (select coalesce(d.source_amount + d.fee_amount, p.amount_minor) as whole,
      coalesce(d.target_amount, p.amount_minor) as target, coalesce(d.fee_amount, 0) as fee,
      coalesce(d.target_currency, p.currency) as currency) as price
    cross join lateral (select div(price.target * m.back + price.whole - 1, price.whole) as wallet,
      div(price.fee * m.back, price.whole) as fee) as share
    cross join lateral (values
      ('wallet and loss', price.currency, -share.wallet),
      ('fee', p.currency, -share.fee),
      ('desk', p.currency, case when price.currency <> p.currency then share.fee - m.back end),
      ('desk', price.currency, case when price.currency <> p.currency then share.wallet end)
    ) as s(account, currency, change)
   where s.change <> 0
   group by 1, 2, 3`
const actualShares = `
  select l.reference as payment, case when a.kind in ('wallet', 'hold', 'loss') then 'wallet and loss' when a.kind = 'fee' then 'fee'
      else 'desk' end as account, a.currency, sum(e.amount) as change
    from settlement_line l
    join ledger.entry e on e.posting_id = l.posting_id
    join ledger.account a on a.id = e.account_id
     and a.kind not in ('card_settlement', 'bank_settlement', 'payout_settlement')
   where l.kind in ${reversalKinds}
   group by 1, 2, 3`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'what moved between us and a provider is noted by its id',
    scope: 'select count(*) from settlement_line',
    broken: `select posting_id || ' moved ' || coalesce(posted.amount, 0) || ' ' || currency || ' by ' || kind || ', noted is '
        || coalesce(noted.amount::text, 'nothing') as subject
      from (${postedOutsideSql}) posted
      full join (${recordedOutsideSql}) noted using (posting_id, kind, currency)
      where coalesce(posted.amount, 0) <> coalesce(noted.amount, 0)`,
  },
  {
    name: 'our own money at providers is posted as its provider reported it',
    scope: 'select count(*) from operator_line',
    broken: `select posting_id || ' moved ' || coalesce(posted.amount, 0) || ' ' || currency || ' by ' || kind || ', noted is '
        || coalesce(noted.amount::text, 'nothing') as subject
      from (${postedOperatingSql}) posted
      full join (${recordedOperatingSql}) noted using (posting_id, kind, currency)
      where coalesce(posted.amount, 0) <> coalesce(noted.amount, 0)`,
  },
  {
    name: 'what is noted is of a payment or a payout',
    scope: 'select count(*) from settlement_line',
    broken: `select l.id || ' is of ' || l.reference || ', which is gone or another' as subject
      from settlement_line l left join payment p on p.id = l.reference left join payout o on o.id = l.reference
      where case when l.kind in ('payout', 'payout_return') then o.id is null or o.provider <> l.provider or o.currency <> l.currency
        else p.id is null or p.provider <> l.provider or p.currency <> l.currency end`,
  },
  {
    name: 'payments stand as their money moved',
    scope: 'select count(*) from payment',
    broken: `select p.id || ' is ' || p.status || ', and ' || coalesce(m.came - m.back, 0) || ' of ' || p.amount_minor || ' '
        || p.currency || ' are here' as subject
      from payment p left join (${movedPerPaymentSql}) m on m.reference = p.id
      where (${statusMatchesSql}) is not true`,
  },
  {
    name: 'payouts stand as their money moved',
    scope: 'select count(*) from payout',
    broken: `select o.id || ' is ' || o.status as subject
      from payout o
      left join (select reference, array_agg(kind || ' ' || amount_minor order by kind) as lines
                   from settlement_line group by reference) l on l.reference = o.id
      where l.lines is distinct from case o.status when 'completed' then array['payout ' || -o.amount_minor]
        when 'returned' then array['payout ' || -o.amount_minor, 'payout_return ' || o.amount_minor] end`,
  },
  {
    name: 'payments and payouts are in the list of their user',
    scope: 'select (select count(*) from payment) + (select count(*) from payout) as count',
    broken: `select p.id || ' of user ' || p.user_id as subject
      from payment p left join settlement_line l on l.reference = p.id and l.kind in ('capture', 'debit')
      where (l.id is not null or p.is_listed) and not exists (
        select from transaction t where t.user_id = p.user_id and t.payment_id = p.id
           and (l.id is null or (t.status = 'COMPLETED' or t.id in (select h.id from transfer h where h.kind = 'deposit' and h.state <> 'settled'))
             and t.kind = case when p.purpose = 'send' and p.status <> 'failed' and not p.holds_transfer
             then 'SEND' else 'DEPOSIT' end))
      union all
      select o.id || ' of user ' || o.user_id from payout o
       where not exists (select from transaction t where t.user_id = o.user_id and t.id = o.transaction_id
         and t.kind = case when o.returns_payment_id is null then 'WITHDRAW' else 'DEPOSIT' end)
         or (o.status = 'returned' and not exists (
           select from transaction t where t.user_id = o.user_id and t.payment_id = o.id and t.kind = 'DEPOSIT')
           -- Unless the wallet had all of it from a dispute before.
           and o.amount_minor + o.fee_minor <> (select coalesce(sum(d.amount_minor), 0)
             from dispute_posting d join settlement_line l on l.posting_id = d.posting_id where l.reference = o.id and d.kind = 'recovered'))`,
  },
  {
    name: 'rows fit the payment or payout they name',
    scope: 'select count(*) from transaction',
    broken: `select t.kind || ' ' || t.id || ' of user ' || t.user_id as subject
      from transaction t
      left join payment p on p.id = t.payment_id
      left join payout o on o.id = t.payment_id
      left join bank_account b on b.id = o.bank_account_id
      left join transfer h on h.id = t.id
      left join exchange_order r on r.transaction_id = t.id
      left join settlement_line l on l.posting_id = t.posting_id
      left join dispute_posting y on y.posting_id = t.posting_id
      where (${rowMatchesSql}) is not true`,
  },
  {
    name: 'sends priced when their money came gave as much as their sender wants',
    scope: 'select count(*) from payment where minimum_target_minor is not null',
    broken: `select p.id || ' gave ' || t.target_amount || ' instead of ' || p.minimum_target_minor || ' ' || t.target_currency as subject
      from payment p join transaction t on t.id = p.transaction_id and t.kind = 'SEND' and t.status = 'COMPLETED'
      where p.minimum_target_minor is not null and t.target_amount < p.minimum_target_minor`,
  },
  {
    name: 'what was taken back is the same share of every part',
    scope: `select count(*) from settlement_line where kind in ${reversalKinds}`,
    broken: `select payment || ': ' || account || ' gave back ' || -coalesce(a.change, 0) || ' ' || currency || ' instead of '
        || -coalesce(s.change, 0) as subject
      from (${actualShares}) a full join (${statedSharesSql}) s using (payment, account, currency)
      where coalesce(a.change, 0) <> coalesce(s.change, 0)`,
  },
  {
    name: 'losses that people paid are in the ledger',
    scope: `select count(*) from reconciliation_exception where resolution = 'paid_by_person'`,
    broken: `select x.reference || ' lacked ' || sum(x.amount_minor) || ' ' || x.currency || ', of which nothing was paid' as subject
      from reconciliation_exception x
      left join ledger.posting p on p.id = x.id and p.kind = 'loss_payment' and p.refusal is null
      where x.resolution = 'paid_by_person'
      group by x.reference, x.currency, x.closed_at having count(p.id) <> 1`,
  },
  {
    name: 'transfers stand as their payment or payout',
    scope: 'select count(*) from transfer where payment_id is not null',
    broken: `select h.id || ' is ' || h.state || ' and ' || coalesce(p.status, o.status, 'without its payment or payout') as subject
      from transfer h
      left join payment p on p.id = h.payment_id and p.user_id = h.sender_id and (p.holds_transfer or h.kind = 'deposit')
        -- Money that came after it had failed is a deposit, which the payment then names.
        and (h.kind = 'deposit' or p.transaction_id = h.id or h.state = 'failed' and ${isKeptReasonSql('p.reason')})
      left join payout o on o.transaction_id = h.id and o.user_id = h.sender_id
        and case h.kind when 'deposit' then o.returns_payment_id else o.id end = h.payment_id
      where h.payment_id is not null and case h.kind
        when 'funded_send' then coalesce(p.status, '') <> all (case h.state when 'awaiting_funding' then array['pending', 'needs_review']
          when 'failed' then array['failed'] else array['completed', 'reversed'] end)
        -- A send whose payment failed was not made.
        when 'deposit' then p.id is null or p.status in ('pending', 'needs_review') or case h.state
          when 'processing' then coalesce(o.status, '') not in ('pending', 'needs_review')
          when 'released' then coalesce(o.status, '') <> 'completed' else o.id is not null end
        else coalesce(o.status, '') <> all (case h.state when 'held' then array['held'] when 'processing' then array['pending', 'needs_review']
          when 'settled' then array['completed'] when 'failed' then array['failed', 'returned'] else array['failed'] end) end
      union all
      select o.id || ' is held without a transfer' from payout o
       where o.status = 'held' and not exists (select from transfer h where h.payment_id = o.id)
      union all
      select p.id || ' holds no transfer' from payment p
       where p.holds_transfer and not exists (select from transfer h where h.payment_id = p.id and h.kind <> 'deposit')`,
  },
]
