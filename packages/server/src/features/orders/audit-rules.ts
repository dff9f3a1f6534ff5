// Audit rules for exchange orders (holds, outcomes, no fill at a worse price than agreed) and for protection rules.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** SQL: amount on hold by reference and currency. */
const heldOrdersSql = `
  select p.reference, a.currency, sum(e.amount) as minor
    from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'hold'
    join ledger.posting p on p.id = e.posting_id
   group by 1, 2`

/** SQL condition: the minimum is below the source amount converted at the trigger rate, compared without rounding. */
const isWorse = `o.minimum_minor * s.unit * o.trigger_denominator < o.source_minor * g.unit * o.trigger_numerator`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'open orders hold their amount and fee, and ended ones nothing',
    scope: 'select count(*) from exchange_order',
    broken: `select o.id || ' is ' || o.state || ' and holds ' || coalesce(h.minor, 0) || ' of ' || o.source_minor + o.fee_minor
        || ' ' || o.source_currency as subject
      from exchange_order o
      left join (${heldOrdersSql}) h on h.reference = o.transaction_id and h.currency = o.source_currency
      where coalesce(h.minor, 0) <> case when o.state in ('open', 'in_review') then o.source_minor + o.fee_minor else 0 end`,
  },
  {
    name: 'orders stand as their owner sees them',
    scope: 'select count(*) from exchange_order',
    broken: `select o.id || ' is ' || o.state || ' and ' || coalesce(t.status, 'not listed') as subject
      from exchange_order o
      left join transaction t on t.id = o.transaction_id and t.user_id = o.user_id and t.kind = 'EXCHANGE'
      left join transfer h on h.id = o.transaction_id
      where t.status is distinct from case o.state when 'filled' then 'COMPLETED' when 'open' then 'PENDING'
          when 'in_review' then 'PENDING' else 'FAILED' end
        or t.source_amount <> o.source_minor or t.fee_amount > o.fee_minor or t.quote_id is distinct from o.quote_id
        or t.source_currency <> o.source_currency or t.target_currency <> o.target_currency
        or t.wallet_id <> o.wallet_id
        or o.state = 'open' and (t.target_amount <> o.minimum_minor or t.fee_amount <> o.fee_minor)
        or (o.state = 'in_review') <> (h.state is not distinct from 'held')`,
  },
  {
    name: 'orders are filled at no worse price than agreed to',
    scope: `select count(*) from exchange_order where state in ('filled', 'in_review')`,
    broken: `select o.id || ' became ' || coalesce(t.target_amount::text, 'nothing') || ' of at least ' || o.minimum_minor || ' '
        || o.target_currency || case when o.ended_at > o.expires_at and h.id is null then ', after it had expired' else '' end as subject
      from exchange_order o
      left join transaction t on t.id = o.transaction_id and t.user_id = o.user_id
      left join transfer h on h.id = o.transaction_id
      where o.state in ('filled', 'in_review') and (t.id is null or t.target_amount < o.minimum_minor
        or t.source_amount <> o.source_minor or o.ended_at > o.expires_at and h.id is null)`,
  },
  {
    name: 'limit orders ask for no less than their rate',
    scope: `select count(*) from exchange_order where kind = 'limit'`,
    broken: `select o.id || ' asks for ' || o.minimum_minor || ' ' || o.target_currency || ' at ' || o.rate as subject
      from exchange_order o
      join (select code, 10::numeric ^ scale as unit from ledger.currency) s on s.code = o.source_currency
      join (select code, 10::numeric ^ scale as unit from ledger.currency) g on g.code = o.target_currency
      where o.kind = 'limit' and (${isWorse}
        or case when o.rate_currency = o.source_currency then o.minimum_minor * s.unit < o.source_minor * g.unit * o.rate::numeric
             else o.minimum_minor * s.unit * o.rate::numeric < o.source_minor * g.unit end)`,
  },
  {
    name: 'protection rules made the exchanges that they name',
    scope: `select count(*) from protection_action where state = 'done'`,
    broken: `select a.id || ' exchanged ' || coalesce(t.source_amount || ' ' || t.source_currency, 'nothing') as subject
      from protection_action a join protection_rule r on r.id = a.rule_id
      left join transaction t on t.id = a.transaction_id and t.user_id = r.user_id and t.kind = 'EXCHANGE'
      where a.state = 'done' and t.id is null`,
    sinceSeal: 'all',
  },
]
