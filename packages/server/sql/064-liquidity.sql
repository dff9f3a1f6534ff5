-- Owner: exchange. How far the operator's position in a currency may go, and what promised prices may still add to it.

-- The limits of one currency, in its minor units, where an operator has set them; null is the default.
create table liquidity_limit (
  currency text primary key references ledger.currency (code),
  long_minor numeric(38, 0) check (long_minor >= 0),
  short_minor numeric(38, 0) check (short_minor >= 0),
  -- A position beyond this is flattened.
  flatten_above_minor numeric(38, 0) check (flatten_above_minor >= 0),
  changed_by text not null,
  changed_at timestamptz not null
);

-- The limits of every currency without its own, and of open locked prices, in US dollar cents.
create table liquidity_default (
  name text primary key check (name in ('long', 'short', 'flatten_above', 'locked_by_person', 'locked_in_all')),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0)
);
insert into liquidity_default (name, usd_minor) values
  ('long', 200000000),
  ('short', 200000000),
  ('flatten_above', 10000000),
  ('locked_by_person', 5000000),
  ('locked_in_all', 500000000);

-- What a quote, or an order to flatten a position, may still add to the position in a currency: a row for each of its two
-- currencies. It counts until the quote can no longer move money; features/exchange/liquidity/reservations.ts says when.
create table liquidity_reservation (
  -- The quote's or the order's.
  id uuid not null,
  currency text not null,
  minor numeric(38, 0) not null check (minor <> 0),
  -- What is locked, in US dollar cents: on the quote's source currency only.
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- Whose open locked value it counts as; null is nobody's.
  user_id bigint,
  until timestamptz not null,
  primary key (id, currency)
);
create index liquidity_reservation_currency on liquidity_reservation (currency);
create index liquidity_reservation_user on liquidity_reservation (user_id) where user_id is not null;

-- The sums of all reservations of a currency, whether they are over or not: what is promised at most.
create table liquidity_total (
  currency text primary key,
  incoming numeric(38, 0) not null check (incoming >= 0),
  outgoing numeric(38, 0) not null check (outgoing >= 0),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0)
);
create function count_liquidity() returns trigger language plpgsql as $$
declare
  sign constant numeric := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into liquidity_total as t (currency, incoming, outgoing, usd_minor)
    select currency, 0, 0, 0 from (select distinct currency from changed) c order by currency
    on conflict (currency) do nothing;
  update liquidity_total t
     set incoming = t.incoming + sign * c.incoming, outgoing = t.outgoing + sign * c.outgoing,
         usd_minor = t.usd_minor + sign * c.usd_minor
    from (select currency, sum(greatest(minor, 0)) as incoming, sum(greatest(-minor, 0)) as outgoing,
              sum(usd_minor) as usd_minor
            from changed group by currency) c
   where c.currency = t.currency;
  return null;
end
$$;
create trigger count_liquidity_more after insert on liquidity_reservation
  referencing new table as changed for each statement execute function count_liquidity();
create trigger count_liquidity_less after delete on liquidity_reservation
  referencing old table as changed for each statement execute function count_liquidity();

-- The quote that took the place of this one, which is void since.
alter table quote add column replaced_by uuid;
create index quote_replaced on quote (expires_at) where replaced_by is not null;

-- A held transfer keeps its price, however long it waits.
create index transfer_undecided_quote on transfer (quote_id)
  where quote_id is not null and state in ('awaiting_funding', 'held');

-- Quotes made before count as well, for as long as they can be used; so do those that a payment or a held transfer keeps.
insert into liquidity_reservation (id, currency, minor, usd_minor, user_id, until)
select q.id, side.currency, side.minor, side.usd_minor, q.user_id, q.expires_at + interval '1 minute'
  from quote q
  join ledger.currency s on s.code = q.locked_price ->> 'sourceCurrency'
  join ledger.currency t on t.code = q.locked_price ->> 'targetCurrency'
  cross join lateral (values
    (s.code, ((q.locked_price ->> 'source')::numeric * power(10::numeric, s.scale))::numeric(38, 0),
      (q.locked_price ->> 'usdMinor')::numeric),
    (t.code, -((q.locked_price ->> 'target')::numeric * power(10::numeric, t.scale))::numeric(38, 0), 0)
  ) as side (currency, minor, usd_minor)
 where s.code <> t.code
   and (q.expires_at > now() - interval '1 minute'
     or exists (select from ledger.token k where k.id = q.id and k.posting_id is null)
     or exists (select from transfer h where h.quote_id = q.id and h.state in ('awaiting_funding', 'held')));
