// Rules for prices: movements and pending payments keep the terms of their quote, pending prices are reserved, and each
// quote moves money once.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** SQL: amount `member` of quote `q`, in minor units; `currency` is the alias of its `ledger.currency` row. */
const minorSql = (member: string, currency: string) =>
  `(q.locked_price ->> '${member}')::numeric * 10::numeric ^ ${currency}.scale`

const quoteCurrenciesSql = `
  join ledger.currency s on s.code = q.locked_price ->> 'sourceCurrency'
  join ledger.currency g on g.code = q.locked_price ->> 'targetCurrency'`

/** SQL: expected reservations of pending payments and held transfers, which have no expiry. */
const openEndedReservationsSql = `
  select q.id, 'the price of ' || p.id as what, s.code as source, ${minorSql('source', 's')} as source_minor, g.code as target,
      ${minorSql('target', 'g')} as target_minor
    from payment p join quote q on q.id = p.quote_id ${quoteCurrenciesSql}
   where p.status in ('pending', 'needs_review') and s.code <> g.code
  union all
  select q.id, 'the price of ' || h.id, s.code, ${minorSql('source', 's')}, g.code, ${minorSql('target', 'g')}
    from transfer h join quote q on q.id = h.quote_id ${quoteCurrenciesSql}
   where h.state = 'held' and s.code <> g.code`

const openVenueOrdersSql = `
  select id, 'order ' || id || ' to a venue' as what from treasury_order where state not in ('filled', 'rejected')`

// Excludes deposits that arrived late: their payment has released the quote, which may have been used again.
const quotedTransactionsSql = `
  select t.quote_id, t.id as reference from transaction t left join payment m on m.id = t.payment_id
   where t.quote_id is not null and (t.status = 'COMPLETED' or (t.status = 'PENDING' and t.payment_id is not null))
     and not (t.kind = 'DEPOSIT' and m.quote_id is null)`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'transactions have the terms of their quote',
    scope: 'select count(*) from transaction t join quote q on q.id = t.quote_id',
    broken: `select t.id || ' of user ' || t.user_id || ' differs from quote ' || q.id as subject
        from transaction t join quote q on q.id = t.quote_id ${quoteCurrenciesSql}
       where t.source_currency <> s.code or t.source_amount <> ${minorSql('source', 's')}
         or t.target_currency <> g.code or t.target_amount <> ${minorSql('target', 'g')}
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
    scope: `select count(*) from (select id from (${openEndedReservationsSql}) k union all select id from (${openVenueOrdersSql}) o) kept`,
    broken: `select k.what || ' reserves ' || coalesce(r.lines, 'nothing') as subject
        from (${openEndedReservationsSql}) k
        left join (select id, string_agg(minor || ' ' || currency, ', ' order by currency) as lines,
                       jsonb_object_agg(currency, minor) as minor from liquidity_reservation group by id) r on r.id = k.id
       where r.minor is distinct from jsonb_build_object(k.source, trunc(k.source_minor), k.target, -trunc(k.target_minor))
      union all
      select o.what || ' reserves nothing' from (${openVenueOrdersSql}) o
       where not exists (select from liquidity_reservation r where r.id = o.id)`,
    sinceSeal: 'all',
  },
  {
    name: 'quotes move money once',
    scope: `select count(*) from (${quotedTransactionsSql}) q`,
    broken: `select quote_id || ' is named by ' || count(distinct reference) || ' movements' as subject
      from (${quotedTransactionsSql}) q group by quote_id having count(distinct reference) > 1
      union all
      select q.quote_id || ' was not used up by ' || q.reference from (${quotedTransactionsSql}) q join transaction t on t.id = q.reference
       where t.kind <> 'RECEIVE' and t.status = 'COMPLETED' and not exists (
         select from ledger.token k join ledger.posting p on p.id = k.posting_id
          where k.id = q.quote_id and p.reference = q.reference)`,
  },
  {
    name: 'used tokens have the posting and the holder that used them',
    scope: 'select count(*) from ledger.token',
    broken: `select k.id || case when k.posting_id is null then ' is reserved for ' || k.holder || ', which is not pending'
        when p.id is null then ' was used by a posting that is gone' else ' was used by another than its holder' end as subject
      from ledger.token k
      left join ledger.posting p on p.id = k.posting_id and p.refusal is null
      where case when k.posting_id is null then not exists (
          select from payment m where m.id = k.holder and m.quote_id = k.id and m.status in ('pending', 'needs_review'))
          and not exists (select from quote q where q.id = k.id and q.replaced_by = k.holder)
        else p.id is null or (k.holder <> p.id and not exists (
          select from transaction t where t.id = p.reference and t.payment_id = k.holder and t.quote_id = k.id)) end`,
  },
  {
    name: 'what is promised is the sum of its reservations',
    scope: 'select count(*) from liquidity_reservation',
    broken: `select currency || ': ' || coalesce(t.incoming, 0) || ' in and ' || coalesce(t.outgoing, 0) || ' out are promised, reserved are '
        || coalesce(r.incoming, 0) || ' and ' || coalesce(r.outgoing, 0) as subject
      from (select currency, sum(incoming) as incoming, sum(outgoing) as outgoing, sum(usd_minor) as usd_minor
              from (select * from liquidity_total union all select * from liquidity_change) s group by currency) t
      full join (select currency, sum(greatest(minor, 0)) as incoming, sum(greatest(-minor, 0)) as outgoing,
                     sum(usd_minor) as usd_minor from liquidity_reservation group by currency) r using (currency)
      where coalesce(t.incoming, 0) <> coalesce(r.incoming, 0) or coalesce(t.outgoing, 0) <> coalesce(r.outgoing, 0)
         or coalesce(t.usd_minor, 0) <> coalesce(r.usd_minor, 0)`,
    sinceSeal: 'all',
  },
]
