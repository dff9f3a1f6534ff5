// Audit rules for held transfers: their row, the ledger's hold account and the sender's transaction agree.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

const heldMinorSql = `coalesce((
  select sum(e.amount) from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'hold' and a.currency = h.currency
    join ledger.posting p on p.id = e.posting_id
   where p.reference = h.id), 0)`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'held transfers hold their money, and others none',
    scope: 'select count(*) from transfer',
    broken: `select h.id || ' is ' || h.state || ' and holds ' || ${heldMinorSql} || ' of ' || h.amount_minor || ' ' || h.currency as subject
      from transfer h left join payment p on p.id = h.payment_id
      where ${heldMinorSql} <> case when h.state in ('held', 'processing') then h.amount_minor
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
]
