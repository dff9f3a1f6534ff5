// Rules for held transfers: their row, their hold in the ledger and the sender's view agree.

import type { Rule } from './rule.ts'
import { isKeptReason } from './rules-payments.ts'

const held = `coalesce((
  select sum(e.amount) from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'hold' and a.currency = h.currency
    join ledger.posting p on p.id = e.posting_id
   where p.reference = h.id), 0)`

export const transferRules: readonly Rule[] = [
  {
    name: 'held transfers hold their money, and others none',
    scope: 'select count(*) from transfer',
    broken: `select h.id || ' is ' || h.state || ' and holds ' || ${held} || ' of ' || h.amount_minor || ' ' || h.currency as subject
      from transfer h left join payment p on p.id = h.payment_id
      where ${held} <> case when h.state in ('held', 'processing') then h.amount_minor
        when h.state = 'awaiting_funding' then p.wallet_part_minor else 0 end`,
  },
  {
    name: 'transfers stand as their sender sees them',
    scope: 'select count(*) from transfer',
    broken: `select h.id || ' is ' || h.state || ' and ' || coalesce(t.status, 'not listed') as subject
      from transfer h
      left join transaction t on t.id = h.id and t.user_id = h.sender_id
      left join payment p on p.id = h.payment_id
      left join payout o on o.id = h.payment_id
      where t.status is distinct from case h.state when 'settled' then 'COMPLETED' when 'released' then 'FAILED'
          when 'failed' then case when o.status = 'returned' or h.kind = 'deposit' then 'COMPLETED' when t.id is not null then 'FAILED' end
          when 'awaiting_funding' then case when p.is_listed then 'PENDING' end
          else 'PENDING' end
        or t.source_amount + t.fee_amount <> h.amount_minor or t.source_currency <> h.currency
        or t.recipient_id is distinct from coalesce(h.recipient_id, case when h.kind in ('exchange', 'deposit') then h.sender_id end)
          and t.id is not null`,
  },
  {
    name: 'transfers stand as their payment or payout',
    scope: 'select count(*) from transfer where payment_id is not null',
    broken: `select h.id || ' is ' || h.state || ' and ' || coalesce(p.status, o.status, 'without its payment or payout') as subject
      from transfer h
      left join payment p on p.id = h.payment_id and p.user_id = h.sender_id and (p.holds_transfer or h.kind = 'deposit')
        -- Money that came after it had failed is a deposit, which the payment then names.
        and (h.kind = 'deposit' or p.transaction_id = h.id or h.state = 'failed' and ${isKeptReason('p.reason')})
      left join payout o on o.transaction_id = h.id and o.user_id = h.sender_id
        and case h.kind when 'deposit' then o.returns_payment_id else o.id end = h.payment_id
      where h.payment_id is not null and case h.kind
        when 'funded_send' then coalesce(p.status, '') <> all (case h.state when 'awaiting_funding' then array['pending', 'needs_review']
          when 'failed' then array['failed'] else array['completed', 'reversed'] end)
        -- Of a send that was not made its payment has failed.
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
  {
    name: 'scheduled sends are transactions as their owner agreed to',
    scope: `select count(*) from schedule_occurrence where state = 'sent'`,
    broken: `select o.id || ' was sent as ' || coalesce(t.kind || ' of ' || t.source_amount + t.fee_amount, 'nothing') as subject
      from schedule_occurrence o join schedule s on s.id = o.schedule_id
      left join transaction t on t.id = o.transaction_id and t.user_id = s.user_id
      where o.state = 'sent' and (t.id is null or t.kind <> 'SEND' or t.recipient_id <> s.payee_id
        or t.source_amount + t.fee_amount <> o.total_minor or o.total_minor > o.ceiling_minor)`,
  },
]
