// Rules for prices: movements and pending payments keep their quoted terms, and pending ones are reserved.

import type { Rule } from '../rule.ts'

/** SQL: a decimal text of quote `q` in minor units of currency `c`. */
const minorOf = (member: string, currency: string) =>
  `(q.locked_price ->> '${member}')::numeric * 10::numeric ^ ${currency}.scale`

const currenciesOfQuote = `
  join ledger.currency s on s.code = q.locked_price ->> 'sourceCurrency'
  join ledger.currency g on g.code = q.locked_price ->> 'targetCurrency'`

/** Reservations without an expiry: of pending payments, held transfers and orders to venues. */
const kept = `
  select q.id, 'the price of ' || p.id as what, s.code as source, ${minorOf('source', 's')} as source_minor, g.code as target,
      ${minorOf('target', 'g')} as target_minor
    from payment p join quote q on q.id = p.quote_id ${currenciesOfQuote}
   where p.status in ('pending', 'needs_review') and s.code <> g.code
  union all
  select q.id, 'the price of ' || h.id, s.code, ${minorOf('source', 's')}, g.code, ${minorOf('target', 'g')}
    from transfer h join quote q on q.id = h.quote_id ${currenciesOfQuote}
   where h.state = 'held' and s.code <> g.code`

const openVenueOrders = `
  select id, 'order ' || id || ' to a venue' as what from treasury_order where state not in ('filled', 'rejected')`

export const quoteRules: readonly Rule[] = [
  {
    name: 'transactions have the terms of their quote',
    scope: 'select count(*) from transaction t join quote q on q.id = t.quote_id',
    broken: `select t.id || ' of user ' || t.user_id || ' differs from quote ' || q.id as subject
        from transaction t join quote q on q.id = t.quote_id ${currenciesOfQuote}
       where t.source_currency <> s.code or t.source_amount <> ${minorOf('source', 's')}
         or t.target_currency <> g.code or t.target_amount <> ${minorOf('target', 'g')}
         or s.code <> g.code and (t.rate_numerator, t.rate_denominator) is distinct from
           ((q.locked_price #>> '{rate,0}')::numeric, (q.locked_price #>> '{rate,1}')::numeric)
      union all
      select t.id || ' of user ' || t.user_id || ' has a rate within one currency' from transaction t
       where t.source_currency = t.target_currency and t.rate_numerator is distinct from t.rate_denominator
      union all
      select t.id || ' of user ' || t.user_id || ' names quote ' || t.quote_id || ', which is gone' from transaction t
       where t.quote_id is not null and t.status = 'COMPLETED' and not exists (select from quote q where q.id = t.quote_id)`,
  },
  {
    name: 'payments and transfers keep the price that was quoted',
    scope: `select (select count(*) from payment where quote_id is not null) + (select count(*) from transfer where quote_id is not null)
      as count`,
    broken: `select p.id || ' keeps another price than quote ' || q.id as subject
        from payment p join quote q on q.id = p.quote_id where not q.locked_price @> p.locked_price
      union all
      select h.id || ' keeps another price than quote ' || q.id
        from transfer h join quote q on q.id = h.quote_id where not q.locked_price @> h.locked_price`,
  },
  {
    name: 'prices that are kept are reserved',
    scope: `select count(*) from (select id from (${kept}) k union all select id from (${openVenueOrders}) o) kept`,
    broken: `select k.what || ' reserves ' || coalesce(r.lines, 'nothing') as subject
        from (${kept}) k
        left join (select id, string_agg(minor || ' ' || currency, ', ' order by currency) as lines,
                       jsonb_object_agg(currency, minor) as minor from liquidity_reservation group by id) r on r.id = k.id
       where r.minor is distinct from jsonb_build_object(k.source, trunc(k.source_minor), k.target, -trunc(k.target_minor))
      union all
      select o.what || ' reserves nothing' from (${openVenueOrders}) o
       where not exists (select from liquidity_reservation r where r.id = o.id)`,
  },
]
