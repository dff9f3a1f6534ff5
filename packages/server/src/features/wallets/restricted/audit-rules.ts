// Audit rules for restricted money, the parts of accounts that cannot be withdrawn to a bank yet.

import type { AuditRule } from '../../../platform/operations/audit-rule.ts'

/** SQL: lots that are still restricted, with their accounts. */
const activeRestrictionsSql = `select r.*, a.kind, a.name, a.balance, a.currency as account_currency
  from restricted_money r join ledger.account a on a.id = r.account_id where is_restricted(r, now())`

export const restrictedRules: readonly AuditRule[] = [
  {
    name: 'no more of an account is restricted than is in it',
    scope: 'select count(distinct account_id) from restricted_money',
    broken: `select name || ' has ' || balance || ', of which ' || sum(minor) || ' are restricted' as subject
      from (${activeRestrictionsSql}) lot group by account_id, name, balance having sum(minor) > balance`,
    sinceSeal: 'all',
  },
  {
    name: 'restricted money lies in a wallet, or on hold for a pending transaction, of its owner',
    scope: 'select count(*) from restricted_money',
    broken: `select 'lot ' || lot.id || ' of user ' || lot.user_id || ' lies in ' || lot.name as subject
      from (${activeRestrictionsSql}) lot left join wallet w on lot.name like '%:' || w.id || ':%' and w.user_id = lot.user_id
      where w.id is null or lot.kind not in ('wallet', 'hold') or lot.currency <> lot.account_currency
        or (lot.kind = 'hold') <> (lot.hold_reference is not null)
        or (lot.kind = 'hold' and not exists (
          select from transaction t where t.user_id = lot.user_id and t.id = lot.hold_reference and t.status = 'PENDING'))`,
    sinceSeal: 'all',
  },
  {
    name: 'restricted money came with a payment, or with a dispute’s credit',
    scope: 'select count(*) from restricted_money',
    broken: `select 'lot ' || r.id || ' of user ' || r.user_id || ' has no origin' as subject from restricted_money r
      where case r.reason
        when 'provisional_credit' then not exists (
          select from dispute_posting p where p.dispute_id = r.origin and p.kind = 'provisional')
        else not exists (select from payment p where p.id = r.origin and (p.method = 'bank') = (r.reason = 'bank_debit')) end`,
    sinceSeal: 'all',
  },
]
