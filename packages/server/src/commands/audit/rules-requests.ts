// Payment requests: what was paid of them is what the ledger moved and both sides see.

import type { Rule } from './rule.ts'

export const requestRules: readonly Rule[] = [
  {
    name: 'payments of requests are what requester and payer see',
    scope: 'select count(*) from request_payment',
    broken: `select q.posting_id || ' is ' || q.status || ', its payer sees ' || coalesce(sent.status, 'nothing')
        || ' and its requester ' || coalesce(received.status, 'nothing') as subject
      from request_payment q join payment_request r on r.id = q.request_id
      left join transaction sent on sent.id = q.transaction_id and sent.user_id = q.payer_id and sent.kind = 'SEND'
      left join transaction received on received.id = q.transaction_id and received.user_id = r.requester_id
        and received.kind = 'RECEIVE'
      where sent.status is distinct from case q.status when 'settled' then 'COMPLETED' when 'processing' then 'PENDING' else 'FAILED' end
        or received.status is distinct from case q.status when 'settled' then 'COMPLETED' end
        or sent.posting_id is distinct from q.posting_id
        or sent.target_amount <> q.amount_minor or sent.target_currency <> r.currency
        or sent.source_amount + sent.fee_amount <> q.paid_minor or sent.source_currency <> q.paid_currency
        or received.target_amount <> q.amount_minor or received.target_currency <> r.currency`,
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
  },
]
