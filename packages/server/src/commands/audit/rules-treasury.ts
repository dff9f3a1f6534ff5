// What the operator trades with venues, and what promised prices reserve.

import type { Rule } from './rule.ts'

const filled = `
  select o.id as reference, s.currency, s.minor from treasury_order o
    cross join lateral (values (o.sell_currency, o.sold_minor), (o.buy_currency, -o.bought_minor)) as s(currency, minor)
   where o.state = 'filled'`

const posted = `
  select p.reference, a.currency, sum(e.amount) as minor from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'venue_settlement'
    join ledger.posting p on p.id = e.posting_id
   group by 1, 2`

/** Orders to venues, and reservations. */
export const treasuryRules: readonly Rule[] = [
  {
    name: 'venues got and gave what their orders say',
    scope: 'select count(*) from treasury_order',
    broken: `select reference || ': the venue got ' || coalesce(posted.minor, 0) || ' ' || currency || ', its order says '
        || coalesce(filled.minor::text, 'nothing') as subject
      from (${posted}) posted full join (${filled}) filled using (reference, currency)
      where coalesce(posted.minor, 0) <> coalesce(filled.minor, 0)`,
  },
  {
    name: 'what is promised is the sum of its reservations',
    scope: 'select count(*) from liquidity_reservation',
    broken: `select currency || ': ' || coalesce(t.incoming, 0) || ' in and ' || coalesce(t.outgoing, 0) || ' out are promised, reserved are '
        || coalesce(r.incoming, 0) || ' and ' || coalesce(r.outgoing, 0) as subject
      from liquidity_total t
      full join (select currency, sum(greatest(minor, 0)) as incoming, sum(greatest(-minor, 0)) as outgoing,
                     sum(usd_minor) as usd_minor from liquidity_reservation group by currency) r using (currency)
      where coalesce(t.incoming, 0) <> coalesce(r.incoming, 0) or coalesce(t.outgoing, 0) <> coalesce(r.outgoing, 0)
         or coalesce(t.usd_minor, 0) <> coalesce(r.usd_minor, 0)`,
  },
]
