// Audit rules for orders to venues.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

const filledByVenues = `
  select o.id as reference, s.currency, s.minor from treasury_order o
    cross join lateral (values (o.sell_currency, o.sold_minor), (o.buy_currency, -o.bought_minor)) as s(currency, minor)
   where o.state = 'filled'`

const postedToVenuesSql = `
  select p.reference, a.currency, sum(e.amount) as minor from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'venue_settlement'
    join ledger.posting p on p.id = e.posting_id
   group by 1, 2`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'venues got and gave what their orders say',
    scope: 'select count(*) from treasury_order',
    broken: `select reference || ': the venue got ' || coalesce(posted.minor, 0) || ' ' || currency || ', its order says '
        || coalesce(filled.minor::text, 'nothing') as subject
      from (${postedToVenuesSql}) posted full join (${filledByVenues}) filled using (reference, currency)
      where coalesce(posted.minor, 0) <> coalesce(filled.minor, 0)`,
  },
]
