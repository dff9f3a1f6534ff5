// Audit rules for payment requests and split bills: payments must match the transactions of both parties and their card
// or bank payments, and sums must add up.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

export const auditRules: readonly AuditRule[] = [
  {
    name: 'payments of requests are what requester and payer see',
    scope: 'select count(*) from request_payment',
    broken: `select q.posting_id || ' is ' || q.status || ', its payer sees ' || coalesce(sent.status, 'nothing')
        || ' and its requester ' || coalesce(received.status, 'nothing') as subject
      from request_payment q join payment_request r on r.id = q.request_id and q.payer_id is not null and q.payment_id is null
      left join transaction sent on sent.id = q.transaction_id and sent.user_id = q.payer_id and sent.kind = 'SEND'
      left join transaction received on received.id = q.transaction_id and received.user_id = r.requester_id
        and received.kind = 'RECEIVE'
      where sent.status is distinct from case q.status when 'settled' then 'COMPLETED' when 'processing' then 'PENDING' else 'FAILED' end
        or received.status is distinct from case q.status when 'settled' then 'COMPLETED' end
        or sent.posting_id is distinct from q.posting_id
        or sent.target_amount <> q.amount_minor or sent.target_currency <> r.currency
        or sent.source_amount + sent.fee_amount <> q.paid_minor or sent.source_currency <> q.paid_currency
        or received.target_amount <> q.amount_minor or received.target_currency <> r.currency`,
    sinceSeal: 'all',
  },
  {
    name: 'guests’ payments of requests are what their requesters got',
    scope: 'select count(*) from request_payment where payer_id is null',
    broken: `select q.posting_id || ' is ' || q.status || ', the payment ' || p.id || ' is ' || p.status || ' and its requester sees '
        || coalesce(got.status, 'nothing') as subject
      from request_payment q join payment_request r on r.id = q.request_id join payment p on p.id = q.payment_id and q.payer_id is null
      left join transaction got on got.user_id = r.requester_id and got.id = q.transaction_id and got.kind = 'DEPOSIT'
      where p.purpose <> 'request' or p.user_id <> r.requester_id
        or p.amount_minor <> q.paid_minor or p.currency <> q.paid_currency
        or case q.status
             when 'settled' then p.status not in ('completed', 'reversed') or got.status is distinct from 'COMPLETED'
               or got.posting_id <> q.posting_id or got.target_amount <> q.amount_minor or got.target_currency <> r.currency
             when 'processing' then p.status not in ('pending', 'needs_review') or got.id is not null
             else p.status <> 'failed' or got.id is not null end
      union all
      select p.id || ' is ' || p.status || ' and pays no request' as subject
        from payment p left join request_payment q on q.payment_id = p.id
       where p.purpose = 'request' and p.status in ('completed', 'reversed') and q.payment_id is null`,
    sinceSeal: 'all',
  },
  {
    name: 'members’ payments of requests by card and bank are what their payments say',
    scope: 'select count(*) from request_payment where payer_id is not null and payment_id is not null',
    broken: `select q.posting_id || ' is ' || q.status || ', the payment ' || p.id || ' is ' || p.status || ', its payer sees '
        || coalesce(sent.status, 'nothing') || ' and its requester ' || coalesce(received.status, 'nothing') as subject
      from request_payment q join payment_request r on r.id = q.request_id join payment p on p.id = q.payment_id and q.payer_id is not null
      left join transaction sent on sent.id = q.transaction_id and sent.user_id = q.payer_id and sent.kind = 'SEND'
      left join transaction received on received.id = q.transaction_id and received.user_id = r.requester_id
        and received.kind = 'RECEIVE'
      where p.purpose <> 'send' or p.user_id <> q.payer_id or p.recipient_id is distinct from r.requester_id
        or p.amount_minor + p.wallet_part_minor <> q.paid_minor or p.currency <> q.paid_currency
        or case q.status
             when 'settled' then p.status not in ('completed', 'reversed') or sent.status is distinct from 'COMPLETED'
               or received.status is distinct from 'COMPLETED' or sent.posting_id is null
               or received.target_amount <> q.amount_minor or received.target_currency <> r.currency
             when 'processing' then p.status = 'failed' or coalesce(sent.status, 'PENDING') <> 'PENDING'
               or (p.status in ('completed', 'reversed') and not p.holds_transfer) or received.status = 'COMPLETED'
             else p.status in ('pending', 'needs_review') or coalesce(sent.status, 'FAILED') <> 'FAILED'
               or received.status = 'COMPLETED' end`,
    sinceSeal: 'all',
  },
  {
    name: 'requests are paid by the sum of their payments',
    scope: 'select count(*) from payment_request',
    broken: `select r.id || ' is paid ' || r.paid_minor || ' and awaits ' || r.reserved_minor || ', its payments say '
        || coalesce(q.settled, 0) || ' and ' || coalesce(q.processing, 0) as subject
      from payment_request r left join (
        select request_id, sum(amount_minor) filter (where status = 'settled') as settled,
            sum(amount_minor) filter (where status = 'processing') as processing
          from request_payment group by request_id) q on q.request_id = r.id
      where r.paid_minor <> coalesce(q.settled, 0) or r.reserved_minor <> coalesce(q.processing, 0)`,
    sinceSeal: 'all',
  },
  {
    name: 'parts of split bills add up to their totals',
    scope: 'select count(*) from split',
    broken: `select s.id || ' of ' || s.total_minor || ' ' || s.currency || ' for ' || s.people || ' people has an own part of '
        || coalesce(s.own_minor, 0) || ' and asks ' || coalesce(q.people, 0) || ' for ' || coalesce(q.minor, 0) as subject
      from split s left join (
        select p.split_id, count(*) as people, sum(r.amount_minor) as minor, min(r.currency) as least, max(r.currency) as most,
            count(distinct r.payer_id) as payers, bool_and(r.requester_id = o.user_id) as is_own
          from split_part p join split o on o.id = p.split_id join payment_request r on r.id = p.request_id
         group by p.split_id) q on q.split_id = s.id
      where s.total_minor is distinct from coalesce(s.own_minor, 0) + q.minor or q.least <> s.currency or q.most <> s.currency
        or q.people <> s.people or q.payers <> s.people or not q.is_own`,
    sinceSeal: 'all',
  },
]
