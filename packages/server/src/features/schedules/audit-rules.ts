import type { AuditRule } from '../../platform/operations/audit-rule.ts'

export const auditRules: readonly AuditRule[] = [
  {
    name: 'scheduled sends are transactions as their owner agreed to',
    scope: `select count(*) from schedule_occurrence where state = 'sent'`,
    broken: `select o.id || ' was sent as ' || coalesce(t.kind || ' of ' || t.source_amount + t.fee_amount, 'nothing') as subject
      from schedule_occurrence o join schedule s on s.id = o.schedule_id
      left join transaction t on t.id = o.transaction_id and t.user_id = s.user_id
      where o.state = 'sent' and (t.id is null or t.kind <> 'SEND' or t.recipient_id <> s.payee_id
        or t.source_amount + t.fee_amount <> o.total_minor or o.total_minor > o.ceiling_minor)`,
    sinceSeal: 'all',
  },
]
