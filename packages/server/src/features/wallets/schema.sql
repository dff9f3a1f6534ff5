-- Wallets: transactions as users see them, the index for long lists, restricted money, and move_money, through which
-- all money moves. Amounts are minor units of the currency beside them; `usd_minor` is in US dollar cents.

-- Transaction rows to insert; one element per row. `movement` is a position in the ledger batch, from 1.
create type transaction_rows as (
  movement int[],
  user_id bigint[],
  kind text[],
  status text[],
  sender_id bigint[],
  recipient_id bigint[],
  wallet_id uuid[],
  from_wallet_id uuid[],
  to_wallet_id uuid[],
  description text[],
  source_amount numeric[],
  source_currency text[],
  target_amount numeric[],
  target_currency text[],
  stablecoin_amount numeric[],
  rate_numerator numeric[],
  rate_denominator numeric[],
  fee_amount numeric[],
  fee_currency text[],
  payment_source text[],
  payment_id uuid[],
  quote_id uuid[]
);

-- PENDING transactions that a movement of the batch ends, and their new status.
create type transaction_settlements as (
  movement int[],
  id uuid[],
  status text[]
);

-- Risk decisions about the sends of a batch; one element per send.
create type movement_guards as (
  movement int[],
  -- 'room': by the sender's room (send_guard); 'decide': by decide_risk; 'prove': by the sender's confirmation.
  mode text[],
  -- Sender.
  person bigint[],
  payee text[],
  usd_minor numeric[],
  -- A small payment to a payee of long standing, about whom monitoring finds nothing new in it.
  is_quiet boolean[],
  -- Mode 'room': version of the policies (limit_policy_version) that the sender's facts were judged by.
  version bigint[],
  -- Modes 'decide' and 'prove': id of the new decision, and digest of the request that it covers.
  decision uuid[],
  digest bytea[],
  -- Mode 'decide'.
  is_trusted boolean[],
  is_new_device boolean[],
  -- Mode 'prove'.
  proof_at timestamptz[],
  -- Room to store for the sender's next sends, from the facts of this one; null: none.
  room_generation bigint[],
  room_until timestamptz[],
  room_payment_usd_minor numeric[],
  room_version bigint[]
);

-- Restricted part of an amount that moves between accounts; columns as in restricted_money.
create type restricted_part as (reason text, origin uuid, matures_at timestamptz, minor numeric);

create table wallet (
  id uuid primary key,
  user_id bigint not null unique,
  name text not null,
  base_currency text not null,
  created_at timestamptz not null
);

-- Transactions as users see them: one row for each party of a movement, under one id. Written by database functions
-- only. Once a row is COMPLETED or FAILED, what it says never changes.
create table transaction (
  user_id bigint not null,
  id uuid not null,
  posting_id uuid not null,
  kind text not null,
  status text not null check (status in ('COMPLETED', 'PENDING', 'FAILED')),
  created_at timestamptz not null,
  sender_id bigint,
  recipient_id bigint,
  -- Wallet of this row's user; from and to are those of the two parties.
  wallet_id uuid not null,
  from_wallet_id uuid,
  to_wallet_id uuid,
  -- The users' own text on sends, else a code with parameters.
  description text not null,
  source_amount numeric(38, 0) not null,
  source_currency text not null,
  target_amount numeric(38, 0) not null,
  target_currency text not null,
  -- In the bridge's stablecoin.
  stablecoin_amount numeric(38, 0),
  -- Whole target units for one whole source unit, as an exact fraction.
  rate_numerator numeric,
  rate_denominator numeric,
  fee_amount numeric(38, 0) not null,
  fee_currency text not null,
  payment_source text check (payment_source in ('wallet', 'card', 'bank', 'wallet_partial')),
  payment_id uuid,
  quote_id uuid,
  -- Database transaction that last wrote the row; readers follow changes by it.
  xid xid8 not null default pg_current_xact_id(),
  -- When the status last changed, by the database's clock; null if it never did.
  changed_at timestamptz,
  -- True on the sender's row of a send that passed by room: it has no row in risk_decision.
  passed_by_room boolean,
  primary key (user_id, id),
  constraint transaction_kind_and_description check (kind in ('SEND', 'RECEIVE')
    or kind in ('DEPOSIT', 'WITHDRAW', 'EXCHANGE') and description ~ '^[a-z_]+[a-z0-9_]*( \{.*\})?$')
);
-- For settlement, which knows only the id.
create index transaction_pending on transaction (id) where status = 'PENDING';
create index transaction_sent on transaction (user_id, recipient_id, created_at) where kind = 'SEND';
-- Finds the rows since a position. It grows at its right end only, which is the cheapest way.
create index transaction_xid on transaction (xid, user_id);
create index transaction_changed on transaction (user_id, changed_at) where changed_at is not null;
-- Every view of a wallet sums the pending amounts.
create index transaction_pending_user on transaction (user_id) where status = 'PENDING';

create function refuse_change_of_transaction() returns trigger
language plpgsql as $$
begin
  raise exception '% of % is refused: only the status of a pending row changes', tg_op, tg_table_name
    using errcode = 'TL002';
end
$$;
create trigger rows_are_kept before delete or truncate on transaction
  for each statement execute function refuse_change_of_transaction();
create trigger ended_is_ended before update of status on transaction
  for each row when (old.status <> 'PENDING') execute function refuse_change_of_transaction();
-- Incoming payments are priced when their money is taken, orders when they are filled.
create trigger price_is_kept
  before update of target_amount, stablecoin_amount, rate_numerator, rate_denominator, quote_id on transaction
  for each row when (old.status <> 'PENDING' or old.kind = 'WITHDRAW'
    or old.kind = 'EXCHANGE' and old.quote_id is not null)
  execute function refuse_change_of_transaction();
create trigger amounts_are_kept before update of source_amount, fee_amount on transaction
  for each row when (old.status <> 'PENDING' or old.kind <> 'EXCHANGE' or old.quote_id is not null)
  execute function refuse_change_of_transaction();
create trigger facts_are_kept
  before update of user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
    to_wallet_id, description, source_currency, target_currency, fee_currency, payment_source, payment_id,
    passed_by_room on transaction
  for each statement execute function refuse_change_of_transaction();

create function mark_transaction_changed() returns trigger
language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$$;
create trigger transaction_changed before update of status on transaction
  for each row when (old.status is distinct from new.status) execute function mark_transaction_changed();

-- Index of long transaction lists, for filtering, sorting and searching.

-- One row, once indexing has begun. All database transactions below `position` have ended, and their rows of indexed
-- users are in transaction_search. `cluster` is the system identifier: after a restore into another cluster, whose
-- transaction numbers begin again, the position is void.
create table transaction_index_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);

-- Users whose lists are indexed, or will be.
create table transaction_index_person (
  user_id bigint primary key,
  -- While false, `built_from` is the position at which building began, and `built_to` the last id that it reached.
  is_ready boolean not null default false,
  built_from xid8,
  built_to uuid
);

-- Distinct combinations of filter values in a user's list, and the number of indexed rows with each.
create table transaction_facet (
  user_id bigint not null,
  facet integer not null,
  kind text not null,
  status text not null,
  -- Currency of the balance that changed. The second one is that of the target balance of an exchange, else empty.
  currency text not null,
  second_currency text not null,
  row_count bigint not null default 0,
  primary key (user_id, facet),
  constraint transaction_facet_user_id_kind_status_currency_second_curre_key
    unique (user_id, kind, status, currency, second_currency)
);

create table transaction_search (
  user_id bigint not null,
  id uuid not null,
  facet integer not null,
  -- Signed for this user.
  amount numeric(38, 0) not null,
  description text collate "C" not null,
  -- Words that find the row, each prefixed with the user's number, so that users' words do not mix in the index.
  terms tsvector not null,
  primary key (user_id, id)
);
create index transaction_search_facet on transaction_search (user_id, facet, id);
-- Equal keys are listed newest first in both directions, so each direction has an index.
create index transaction_search_amount_up on transaction_search (user_id, facet, amount, id desc);
create index transaction_search_amount_down on transaction_search (user_id, facet, amount desc, id desc);
create index transaction_search_description_up on transaction_search (user_id, facet, description, id desc);
create index transaction_search_description_down on transaction_search (user_id, facet, description desc, id desc);
create index transaction_search_terms on transaction_search using gin (terms);

-- Words that find indexed rows of a user, by facet. Numbers would be too many, and are left out, except years.
create table transaction_word (
  user_id bigint not null,
  -- Without the user's number, unlike in transaction_search.terms.
  word text collate "C" not null,
  facet integer not null,
  row_count bigint not null,
  -- Bounds of all rows with the word. The rows at the bounds may have lost it.
  first_id uuid not null,
  last_id uuid not null,
  first_description text collate "C" not null,
  last_description text collate "C" not null,
  primary key (user_id, word, facet)
);

-- Users renamed since rows that name them were indexed.
create table transaction_renamed (
  user_id bigint primary key
);

create function note_renamed() returns trigger
language plpgsql as $$
begin
  insert into transaction_renamed (user_id) values (new.id) on conflict do nothing;
  return null;
end
$$;
create trigger note_renamed after update of username, name on app_user
  for each row when (old.username is distinct from new.username or old.name is distinct from new.name)
  execute function note_renamed();

-- Sums of whole days (UTC) of accounts with many entries. Money that came back on the day it left is in neither sum.
create table balance_day (
  account_id bigint not null,
  day date not null,
  -- Version of the account's last entry on the day.
  last_version bigint not null,
  money_in numeric(38, 0) not null,
  money_out numeric(38, 0) not null,
  primary key (account_id, day)
);
create unique index balance_day_version on balance_day (account_id, last_version);

-- One row. Users have been notified of the transactions that database transactions below `position` wrote. Void in
-- another cluster, as in transaction_index_position.
create table told_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);
-- Notices begin with transactions after the installation.
insert into told_position (position, cluster)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system();

-- Hours for which money that came by this method cannot go to a bank; sending it to people is not restricted. The
-- longest of the rows that match a user counts. Null matches every country, or every age.
create table maturity_policy (
  method text not null check (method in ('card', 'bank')),
  country text,
  account_younger_than_days integer check (account_younger_than_days > 0),
  hours integer not null check (hours >= 0),
  -- Matches debits from a bank account whose first successful debit is more recent than this, or that has had none.
  bank_younger_than_days integer check (bank_younger_than_days > 0),
  constraint maturity_policy_bank_age check (bank_younger_than_days is null or method = 'bank'),
  constraint maturity_policy_once unique nulls not distinct
    (method, country, account_younger_than_days, bank_younger_than_days)
);
-- One week covers five business days, and two weeks cover ten.
insert into maturity_policy (method, account_younger_than_days, hours, bank_younger_than_days) values
  ('card', null, 168, null),
  ('bank', null, 168, null),
  ('bank', 30, 336, null),
  ('bank', null, 336, 30);

-- Lots: parts of the balance of a wallet or hold account that cannot go to a bank yet. A lot keeps its origin and
-- maturity while it moves between accounts. Money outside lots is unrestricted.
create table restricted_money (
  id bigint generated always as identity primary key,
  account_id bigint not null references ledger.account,
  -- The transaction that it is on hold for; null in wallet accounts.
  hold_reference uuid,
  user_id bigint not null references app_user,
  currency text not null references ledger.currency,
  minor numeric(38, 0) not null check (minor > 0),
  reason text not null check (reason in ('card', 'bank_debit', 'provisional_credit')),
  -- The payment that brought it in, or the dispute of a provisional credit.
  origin uuid not null,
  -- Infinite for provisional credits, which are restricted until their dispute is decided.
  matures_at timestamptz not null,
  created_at timestamptz not null,
  constraint restricted_money_matures check ((reason = 'provisional_credit') = (matures_at = 'infinity'::timestamptz)),
  constraint restricted_money_once unique nulls not distinct (account_id, hold_reference, reason, origin, matures_at)
);
create index restricted_money_of_user on restricted_money (user_id);
create index restricted_money_matured on restricted_money (matures_at);

-- Moving money.

-- Posts a batch to the ledger and, with it, checks and counts limits (`quotas`) and risk (`guards`), inserts
-- transaction rows, ends pending transactions (`settlements`), and carries restrictions along. Returns the statuses of
-- ledger.post, and also 'not_authorized' for a send that needs a confirmation; `settled_users` are the users whose
-- pending transactions ended. Raises TC001 and TR001 as require_no_stop does, TC002 as require_known_payee does, and
-- what ledger.post raises. Lock order: days of usage, risk, accounts, tokens.
create function move_money(
  batch ledger.batch, rows transaction_rows, quotas limit_quotas, settlements transaction_settlements,
  waits boolean default true, guards movement_guards default null, out statuses text[], out settled_users bigint[]
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- A plan that is cached while the tables are small must still suit them when they are large.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  movement_id constant uuid[] := batch.movement_id;
  movement_reference constant uuid[] := batch.movement_reference;
  movement_at constant timestamptz[] := batch.movement_at;
  movement_quota constant int[] := batch.movement_quota;
  movement_quota_amount constant numeric[] := batch.movement_quota_amount;
  accounts constant bigint[] := batch.accounts;
  leg_code constant text[] := batch.leg_code;
  -- Copies: element access is fast in variables, and slow in fields of a composite.
  row_movement constant int[] := rows.movement;
  row_user_id constant bigint[] := rows.user_id;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  row_wallet_id constant uuid[] := rows.wallet_id;
  row_from_wallet_id constant uuid[] := rows.from_wallet_id;
  row_to_wallet_id constant uuid[] := rows.to_wallet_id;
  row_description constant text[] := rows.description;
  row_source_amount constant numeric[] := rows.source_amount;
  row_source_currency constant text[] := rows.source_currency;
  row_target_amount constant numeric[] := rows.target_amount;
  row_target_currency constant text[] := rows.target_currency;
  row_stablecoin_amount constant numeric[] := rows.stablecoin_amount;
  row_rate_numerator constant numeric[] := rows.rate_numerator;
  row_rate_denominator constant numeric[] := rows.rate_denominator;
  row_fee_amount constant numeric[] := rows.fee_amount;
  row_fee_currency constant text[] := rows.fee_currency;
  row_payment_source constant text[] := rows.payment_source;
  row_payment_id constant uuid[] := rows.payment_id;
  row_quote_id constant uuid[] := rows.quote_id;
  quota_user constant bigint[] := quotas.user_id;
  quota_day constant date[] := quotas.day;
  quota_usd constant numeric[] := quotas.usd_minor;
  quota_movements constant int[] := quotas.movements;
  quota_largest constant numeric[] := quotas.largest;
  method_movement constant int[] := quotas.method_movement;
  method_name constant text[] := quotas.method;
  settled_movement constant int[] := settlements.movement;
  settled_id constant uuid[] := settlements.id;
  settled_status constant text[] := settlements.status;
  guard_movement constant int[] := guards.movement;
  guard_mode constant text[] := guards.mode;
  guard_person constant bigint[] := guards.person;
  guard_payee constant text[] := guards.payee;
  guard_usd constant numeric[] := guards.usd_minor;
  guard_version constant bigint[] := guards.version;
  guard_count constant int := coalesce(cardinality(guard_movement), 0);
  has_quotas constant boolean := cardinality(quota_user) > 0;
  quota_used numeric[] := '{}';
  counted_places int[];
  -- Places of the days on which a limit may refuse something.
  guarded int[] := '{}';
  missing int[];
  members int[];
  methods text[] := '{}';
  decisions text[];
  decided_quota int[] := movement_quota;
  decided_limit numeric[] := batch.movement_quota_limit;
  -- Places of the sends that pass by room, and the senders and payees whose trusted amount of the day they exceed.
  by_room int[] := '{}';
  over_person bigint[];
  over_payee text[];
  -- Decisions about the other sends, by place; null where one did not pass.
  made uuid[];
  is_authorized boolean[];
  is_quiet boolean[];
  is_quiet_for_sender boolean[];
  disturbed bigint[];
  -- One element per movement.
  has_passed_by_room boolean[];
begin
  -- Days of usage are locked first, in order, then risk, then (in ledger.post) accounts and tokens: in the same order
  -- everywhere, so that movements cannot deadlock. The whole batch is counted here; amounts that are not posted are
  -- subtracted again below.
  if has_quotas then
    quota_used := array_fill(null::numeric, array[cardinality(quota_user)]);
    for attempt in 1 .. 3 loop
      if attempt = 2 then
        select opened.made, guarded || opened.tight into counted_places, guarded
          from open_limit_usage(quota_user, quota_day, quota_usd, quota_movements, quota_largest, missing,
            (select min(t.at) from unnest(movement_at) as t (at)), waits and cardinality(quota_user) = 1) as opened;
      elsif waits then
        with counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[q.place], movements = usage.movements + quota_movements[q.place]
            from (select place from generate_series(1, cardinality(quota_user)) as place where quota_used[place] is null
                   order by quota_user[place], quota_day[place]) as q
           where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place]
          returning q.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[q.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      else
        with free as materialized (
          select q.place from generate_series(1, cardinality(quota_user)) as q(place)
           cross join lateral (
             select usage.day from limit_usage as usage
              where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place] for no key update skip locked
           ) as locked
           where quota_used[q.place] is null
        ), counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[free.place], movements = usage.movements + quota_movements[free.place]
            from free
           where usage.user_id = quota_user[free.place] and usage.day = quota_day[free.place]
          returning free.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[free.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      end if;
      -- A join would be a nested loop here, and compare each with each.
      for n in 1 .. coalesce(cardinality(counted_places), 0) loop
        quota_used[counted_places[n]] := 0;
      end loop;
      missing := array_positions(quota_used, null);
      exit when cardinality(missing) = 0 or (attempt = 2 and not waits and cardinality(counted_places) = 0);
      -- A concurrent transaction opened the day. Waiting for it could deadlock: it may wait for a day counted here.
      if waits and (attempt = 3 or (attempt = 2 and cardinality(quota_user) > 1)) then
        raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
      end if;
    end loop;
  end if;

  -- Decide the days on which a limit may refuse something, movement by movement. A refused movement gets a limit below
  -- any usage; one that depends on the outcome of earlier ones is busy, to be sent again once that is known.
  if cardinality(guarded) > 0 then
    counted_places := renew_free_room(quota_user, quota_day, quota_largest, guarded,
      (select min(t.at) from unnest(movement_at) as t (at)));
    guarded := array(select place from unnest(guarded) as place where place <> all (counted_places));
  end if;
  if cardinality(guarded) > 0 then
    methods := array_fill('transfer'::text, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(method_movement) loop
      methods[method_movement[n]] := method_name[n];
    end loop;
    for s in 1 .. cardinality(guarded) loop
      members := array_positions(movement_quota, guarded[s]);
      decisions := decide_limits(quota_user[guarded[s]], quota_day[guarded[s]], movement_at[members[1]],
        array(select methods[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        array(select movement_quota_amount[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        quota_usd[guarded[s]], quota_movements[guarded[s]]);
      for n in 1 .. cardinality(members) loop
        if decisions[n] = 'limit_exceeded' then
          decided_limit[members[n]] := -1;
        elsif decisions[n] = 'busy' then
          decided_quota[members[n]] := cardinality(quota_user) + 1;
        end if;
      end loop;
    end loop;
    batch.movement_quota_limit := decided_limit;
  end if;

  -- Decide which sends need a confirmation. In the lock order this is after the days and before the accounts.
  if guard_count > 0 then
    with roomy as materialized (
      select g.place from generate_series(1, guard_count) as g (place)
       cross join lateral (
         select s.free_until, s.free_payment_usd_minor, s.free_version from send_guard s where s.user_id = guard_person[g.place] limit 1
       ) as room
       where guard_mode[g.place] = 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null
         and room.free_until > movement_at[guard_movement[g.place]] and guard_usd[g.place] <= room.free_payment_usd_minor
         and room.free_version = guard_version[g.place]
         and room.free_version = (select version from limit_policy_version)
    ), counted as (
      insert into risk_payee_day as d (user_id, day, payee, is_trusted, usd_minor)
        select guard_person[roomy.place], (movement_at[guard_movement[roomy.place]] at time zone 'UTC')::date,
            guard_payee[roomy.place], true, sum(guard_usd[roomy.place])
          from roomy group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, payee, is_trusted) do update set usd_minor = d.usd_minor + excluded.usd_minor
      returning d.user_id, d.payee, d.usd_minor
    )
    select coalesce((select array_agg(roomy.place) from roomy), '{}'), array_agg(counted.user_id), array_agg(counted.payee)
      into by_room, over_person, over_payee
      from counted
     where counted.usd_minor > (select trusted_payee_usd_minor from risk_policy order by version desc limit 1);
    is_authorized := array_fill(false, array[guard_count]);
    has_passed_by_room := array_fill(false, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(by_room) loop
      is_authorized[by_room[n]] := true;
      has_passed_by_room[guard_movement[by_room[n]]] := true;
    end loop;
    for n in 1 .. coalesce(cardinality(over_person), 0) loop
      for g in 1 .. guard_count loop
        if guard_person[g] = over_person[n] and guard_payee[g] = over_payee[n] and guard_mode[g] = 'room' then
          is_authorized[g] := false;
        end if;
      end loop;
    end loop;
    if 'decide' = any (guard_mode) or 'prove' = any (guard_mode) then
      made := decide_guards(guards, array(
          select g.place from generate_series(1, guard_count) as g (place)
           where guard_mode[g.place] <> 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null),
        movement_id, movement_at);
    end if;
    for g in 1 .. guard_count loop
      if not is_authorized[g] and made[g] is null then
        decided_quota[guard_movement[g]] := cardinality(quota_user) + 1;
      else
        is_authorized[g] := true;
      end if;
    end loop;
  end if;
  if guard_count > 0 or cardinality(guarded) > 0 then
    -- The last place has no quota: the ledger returns busy for it.
    batch.movement_quota := decided_quota;
    quota_used := array_append(quota_used, null);
  end if;

  statuses := ledger.post(batch, quota_used, waits);

  for g in 1 .. guard_count loop
    if not is_authorized[g] and statuses[guard_movement[g]] = 'busy'
      and quota_used[movement_quota[guard_movement[g]]] is not null then
      statuses[guard_movement[g]] := 'not_authorized';
    end if;
  end loop;

  -- Few users are stopped or have restricted money, so small partial indexes settle this for the whole batch. Each
  -- statement sees what was committed before it; the accounts are locked by now.
  if exists (select from app_user u where u.id = any (row_sender_id) and u.frozen_at is not null)
    or exists (select from reconciliation_exception e
      where e.owner_id = any (row_sender_id) and e.kind = 'loss' and e.closed_at is null)
    or exists (select from compliance_case c
      where c.user_id = any (row_sender_id || row_recipient_id) and c.stops = 'person' and c.state <> 'cleared') then
    perform require_no_stop(rows, statuses);
  end if;
  if leg_code && '{deposit,refund}' or exists (select from restricted_money m where m.account_id = any (accounts)) then
    perform carry_restricted_money(batch, rows, statuses);
  end if;

  if has_quotas and not ('posted' = all (statuses)) then
    update limit_usage as usage
       set usd_minor = usage.usd_minor - unused.usd_minor, movements = usage.movements - unused.movements
      from (select movement_quota[m] as quota, sum(movement_quota_amount[m]) as usd_minor, count(*) as movements
              from generate_series(1, cardinality(movement_id)) as m
             where movement_quota[m] is not null and statuses[m] <> 'posted' group by movement_quota[m]) as unused
     where usage.user_id = quota_user[unused.quota] and usage.day = quota_day[unused.quota]
       and quota_used[unused.quota] is not null;
  end if;

  if cardinality(method_movement) > 0 then
    insert into limit_usage_by_method as usage (user_id, day, method, usd_minor, movements)
      select quota_user[movement_quota[m.movement]], quota_day[movement_quota[m.movement]], m.method,
          sum(movement_quota_amount[m.movement]), count(*)
        from unnest(method_movement, method_name) as m (movement, method)
       where statuses[m.movement] = 'posted' group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, method) do update
        set usd_minor = usage.usd_minor + excluded.usd_minor, movements = usage.movements + excluded.movements;
  end if;

  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id, passed_by_room)
    select row_user_id[r], movement_reference[row_movement[r]], movement_id[row_movement[r]], row_kind[r], row_status[r],
      movement_at[row_movement[r]], row_sender_id[r], row_recipient_id[r], row_wallet_id[r],
      row_from_wallet_id[r], row_to_wallet_id[r], row_description[r], row_source_amount[r],
      row_source_currency[r], row_target_amount[r], row_target_currency[r], row_stablecoin_amount[r],
      row_rate_numerator[r], row_rate_denominator[r], row_fee_amount[r], row_fee_currency[r],
      row_payment_source[r], row_payment_id[r], row_quote_id[r],
      case when row_kind[r] = 'SEND' and has_passed_by_room[row_movement[r]] then true end
      from generate_series(1, cardinality(row_movement)) as r
     where statuses[row_movement[r]] = 'posted';

  if cardinality(settled_id) > 0 then
    with settled as (
      update transaction as t set status = settled_status[s], xid = pg_current_xact_id()
        from generate_series(1, cardinality(settled_id)) as s
       where t.id = settled_id[s] and t.status = 'PENDING' and statuses[settled_movement[s]] = 'posted'
      returning t.user_id
    )
    select array_agg(distinct settled.user_id) into settled_users from settled;
  end if;

  -- Release the liquidity reserved for prices that money has moved at. While a transfer is held, it stays reserved.
  if cardinality(batch.tokens) > 0 then
    delete from liquidity_reservation where id = any (array(
      select batch.tokens[batch.movement_token[row_movement[r]]] from generate_series(1, cardinality(row_movement)) as r
       where row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' and statuses[row_movement[r]] = 'posted'
         and batch.movement_token[row_movement[r]] is not null));
  end if;

  -- End the rooms of users about whom monitoring has something new to look at: all but those of quiet sends.
  if guard_count > 0 then
    is_quiet := array_fill(false, array[cardinality(movement_id)]);
    is_quiet_for_sender := is_quiet;
    for g in 1 .. guard_count loop
      is_quiet[guard_movement[g]] := guards.is_quiet[g];
      is_quiet_for_sender[guard_movement[g]] := guard_mode[g] = 'room' or guards.room_generation[g] is not null;
    end loop;
  end if;
  select array_agg(distinct row_user_id[r]) into disturbed
    from generate_series(1, cardinality(row_movement)) as r
   where statuses[row_movement[r]] = 'posted' and row_kind[r] <> 'EXCHANGE'
     and (case row_kind[r] when 'SEND' then is_quiet_for_sender else is_quiet end)[row_movement[r]] is not true;
  if disturbed is not null then
    perform disturb_send_guards(disturbed);
  end if;
  if guard_count > 0 and (not ('posted' = all (statuses)) or exists (select from unnest(guards.room_generation) as g where g is not null)) then
    perform settle_guards(guards, by_room, made, statuses, movement_at);
  end if;
end
$$;

-- Refuses a posted batch that moves stopped money. Raises TC001 if an uncleared case stops a party of a completed send
-- or exchange, TR001 if a completed send or exchange, or a pending withdrawal, leaves an account that is frozen or has
-- an open loss. Runs once the accounts are locked, with a snapshot of its own: a freeze that commits before it is seen
-- here, and one that commits later waits for these locks (wait_for_movements) before it returns.
create function require_no_stop(rows transaction_rows, statuses text[]) returns void
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare
  row_movement constant int[] := rows.movement;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  stop text;
begin
  -- A withdrawal has left the account once it is pending. A held send is checked when it settles.
  select stopped.by into stop
    from generate_series(1, cardinality(row_movement)) as r
   cross join lateral (
     select case
       when exists (select from app_user u where u.id = row_sender_id[r] and u.frozen_at is not null)
         or exists (select from reconciliation_exception e
              where e.owner_id = row_sender_id[r] and e.kind = 'loss' and e.closed_at is null)
       then 'account'
       when row_status[r] = 'COMPLETED' and exists (select from compliance_case c
              where c.user_id in (row_sender_id[r], row_recipient_id[r]) and c.stops = 'person' and c.state <> 'cleared')
       then 'case' end as by
   ) as stopped
   where (row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' or row_kind[r] = 'WITHDRAW' and row_status[r] = 'PENDING')
     and statuses[row_movement[r]] = 'posted' and stopped.by is not null
   limit 1;
  if stop = 'account' then
    raise exception 'an account is frozen or has an open loss' using errcode = 'TR001';
  elsif stop = 'case' then
    raise exception 'a case stops somebody' using errcode = 'TC001';
  end if;
end
$$;

-- Waits for all movements of a person's money that may not have seen a freeze committed before this call. Each holds
-- the lock of an account, or of the payout or payment that it submits to a provider; those locks come before accounts.
create function wait_for_movements(person bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from payout p
    where p.user_id = person and p.status = 'pending' and p.provider_payout_id is null order by p.id for no key update;
  perform from payment p
    where p.user_id = person and p.status = 'pending' and p.session_id is null order by p.id for no key update;
  perform from ledger.lock_accounts(array(
    select a.id from wallet w
      cross join ledger.currency c
      cross join unnest(array['wallet:', 'hold:']) as prefix
      join ledger.account a on a.name = prefix || w.id || ':' || c.code
     where w.user_id = person));
end
$$;

-- Inserts PENDING rows of a card or bank payment that is not posted yet. `posting` will be its id; move_money then ends
-- them as `settlements`.
create function create_pending_transactions(reference uuid, posting uuid, at timestamptz, rows transaction_rows)
  returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select r.user_id, reference, posting, r.kind, 'PENDING', at, r.sender_id, r.recipient_id, r.wallet_id, r.from_wallet_id,
      r.to_wallet_id, r.description, r.source_amount, r.source_currency, r.target_amount, r.target_currency,
      r.stablecoin_amount, r.rate_numerator, r.rate_denominator, r.fee_amount, r.fee_currency, r.payment_source,
      r.payment_id, r.quote_id
      from unnest((rows).user_id, (rows).kind, (rows).sender_id, (rows).recipient_id, (rows).wallet_id,
        (rows).from_wallet_id, (rows).to_wallet_id, (rows).description, (rows).source_amount, (rows).source_currency,
        (rows).target_amount, (rows).target_currency, (rows).stablecoin_amount, (rows).rate_numerator,
        (rows).rate_denominator, (rows).fee_amount, (rows).fee_currency, (rows).payment_source, (rows).payment_id,
        (rows).quote_id) as r (user_id, kind, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id, description,
        source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate_numerator,
        rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id);
  select disturb_send_guards((rows).user_id) where not ('EXCHANGE' = any ((rows).kind));
$$;

-- Overwrites the price of pending rows whose payment is not posted yet. Returns their users.
create function price_pending_transaction(
  reference uuid, new_target numeric, new_stablecoin numeric, new_numerator numeric, new_denominator numeric,
  new_quote uuid default null
) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update transaction
     set target_amount = new_target, stablecoin_amount = new_stablecoin, rate_numerator = new_numerator,
         rate_denominator = new_denominator, quote_id = coalesce(new_quote, quote_id), xid = pg_current_xact_id()
   where id = reference and status = 'PENDING' and kind in ('SEND', 'RECEIVE', 'DEPOSIT')
     and not exists (select from ledger.posting where id = transaction.posting_id)
  returning user_id
$$;

-- Turns pending rows into FAILED ones. Returns their users.
create function fail_pending_transaction(reference uuid) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update transaction set status = 'FAILED', xid = pg_current_xact_id() where id = reference and status = 'PENDING'
  returning user_id
$$;

-- Restricted money.

-- Returns whether a lot is still restricted at a time.
create function is_restricted(lot restricted_money, at timestamptz) returns boolean
language sql stable as $$
  select lot.matures_at > at and (lot.reason <> 'provisional_credit'
    or exists (select from dispute d where d.id = lot.origin and d.state = 'open'))
$$;

-- Hours for which money received by a person at a time, by this method and from this bank account, cannot go to a bank.
create function maturity_hours(person bigint, method text, from_account uuid, at timestamptz) returns int
language sql stable as $$
  select coalesce(max(p.hours), 0)
    from maturity_policy p
    join app_user u on u.id = maturity_hours.person
   where p.method = maturity_hours.method
     and (p.country is null or p.country = (
       select k.country from kyc_submission k where k.user_id = u.id and k.status = 'verified' order by k.submitted_at desc limit 1))
     and (p.account_younger_than_days is null or u.created_at > maturity_hours.at - make_interval(days => p.account_younger_than_days))
     and (p.bank_younger_than_days is null or not exists (
       select from bank_account linked
         join bank_account same using (user_id, provider, fingerprint)
         join payment debit on debit.bank_account_id = same.id and debit.method = 'bank' and debit.status = 'completed'
        where linked.id = maturity_hours.from_account
          and debit.created_at <= maturity_hours.at - make_interval(days => p.bank_younger_than_days)))
$$;

-- Time from which money of a payment received at a time may go to a bank; null without such a payment.
create function maturity_of(payment_id uuid, at timestamptz) returns timestamptz
language sql stable as $$
  select maturity_of.at + make_interval(hours => maturity_hours(p.user_id, case p.method when 'bank' then 'bank' else 'card' end,
      p.bank_account_id, maturity_of.at))
    from payment p where p.id = maturity_of.payment_id
$$;

-- Payment or dispute that a posted movement belongs to; null without one.
create function origin_of_movement(id uuid, reference uuid, row_payment uuid) returns uuid
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(
    (select p.id from payment p where p.id = row_payment),
    (select d.dispute_id from dispute_posting d where d.posting_id = origin_of_movement.id limit 1),
    (select p.id from payment p where p.transaction_id = origin_of_movement.reference limit 1))
$$;

-- Removes the lots, or parts of lots, that leave an account with an amount, and returns them. Lots of the given origin
-- or hold leave first; others leave only for `excess`, the restricted sum that does not fit into the remaining balance.
-- Otherwise the earliest to mature leave first.
create function take_restricted(
  account bigint, amount numeric, excess numeric, of_origin uuid, of_hold uuid, at timestamptz
) returns restricted_part[]
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  parts restricted_part[];
begin
  with lot as (
    select r.id, r.reason, r.origin, r.matures_at, r.minor,
        coalesce(r.origin = of_origin, false) or coalesce(r.hold_reference = of_hold, false) as is_preferred
      from restricted_money r where r.account_id = account and is_restricted(r, at)
  ), queue as (
    select lot.*, sum(lot.minor) over (order by is_preferred desc, matures_at, id) - lot.minor as before,
        least(amount, greatest(excess, (select coalesce(sum(minor), 0) from lot where is_preferred))) as wanted
      from lot
  ), taken as (
    select queue.*, least(minor, wanted - before) as part from queue where before < wanted
  ), emptied as (
    delete from restricted_money r using taken where r.id = taken.id and taken.part = taken.minor
  ), reduced as (
    update restricted_money r set minor = r.minor - taken.part from taken where r.id = taken.id and taken.part < taken.minor
  )
  select array_agg(row(reason, origin, matures_at, part)::restricted_part order by before) into parts from taken;
  return coalesce(parts, '{}');
end
$$;

-- Converts parts into another currency at `numerator`/`denominator`. Their sum is rounded up.
create function convert_restricted(parts restricted_part[], numerator numeric, denominator numeric)
  returns restricted_part[]
language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(row(reason, origin, matures_at, minor)::restricted_part order by place), '{}') from (
    select p.reason, p.origin, p.matures_at, p.place,
        ceil(sum(p.minor) over (order by p.place) * numerator / denominator)
          - ceil((sum(p.minor) over (order by p.place) - p.minor) * numerator / denominator) as minor
      from unnest(parts) with ordinality as p (reason, origin, matures_at, minor, place)
  ) as converted where minor > 0
$$;

-- Adds parts to the lots of a wallet or hold account.
create function put_restricted(account bigint, hold uuid, parts restricted_part[], at timestamptz) returns void
language sql set search_path = pg_catalog, public, pg_temp as $$
  insert into restricted_money as lot (account_id, hold_reference, user_id, currency, minor, reason, origin, matures_at, created_at)
    select a.id, put_restricted.hold, w.user_id, a.currency, sum(p.minor), p.reason, p.origin, p.matures_at, put_restricted.at
      from ledger.account a
      join wallet w on w.id = split_part(a.name, ':', 2)::uuid
     cross join unnest(parts) as p
     where a.id = put_restricted.account
     group by a.id, w.user_id, a.currency, p.reason, p.origin, p.matures_at
  on conflict (account_id, hold_reference, reason, origin, matures_at) do update set minor = lot.minor + excluded.minor
$$;

-- Raises TC002 if provisional credit would go to a payee whom the sender had not paid before the dispute was opened.
-- The disputed transaction itself does not count.
create function require_known_payee(sender bigint, recipient bigint, parts restricted_part[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (
    select from unnest(parts) as p join dispute d on d.id = p.origin
     where p.reason = 'provisional_credit' and not exists (
       select from transaction t
        where t.user_id = sender and t.recipient_id = recipient and t.kind = 'SEND' and t.status = 'COMPLETED'
          and t.id <> d.transaction_id and coalesce(t.changed_at, t.created_at) < d.opened_at)
  ) then
    raise exception 'provisional credit would leave for a new payee' using errcode = 'TC002';
  end if;
end
$$;

-- Moves restrictions along the legs of a posted batch. Its accounts, and so their lots, are locked.
create function carry_restricted_money(batch ledger.batch, rows transaction_rows, statuses text[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  accounts constant bigint[] := batch.accounts;
  leg_movement constant int[] := batch.leg_movement;
  leg_from constant int[] := batch.leg_from;
  leg_to constant int[] := batch.leg_to;
  leg_amount constant numeric[] := batch.leg_amount;
  movement_at constant timestamptz[] := batch.movement_at;
  legs constant int := cardinality(leg_movement);
  -- One element per account; `restricted` is the sum of its lots.
  kind text[];
  balance numeric[];
  restricted numeric[];
  -- State of the current movement.
  movement int := 0;
  row_place int;
  origin uuid;
  is_origin_known boolean;
  is_inflow boolean;
  converted_from numeric;
  bridged restricted_part[];
  -- State of the current leg.
  giver int;
  taker int;
  amount numeric;
  at timestamptz;
  matures_at timestamptz;
  parts restricted_part[];
begin
  at := (select min(m.at) from unnest(movement_at) as m (at));
  select array_agg(a.kind order by p.place), array_agg(a.balance order by p.place), array_agg(l.minor order by p.place)
    into kind, balance, restricted
    from generate_series(1, cardinality(accounts)) as p (place)
    left join lateral (select a.kind, a.balance from ledger.account a where a.id = accounts[p.place]) as a on true
    left join lateral (
      select coalesce(sum(r.minor), 0) as minor from restricted_money r where r.account_id = accounts[p.place] and is_restricted(r, at)
    ) as l on true;
  -- Undo the batch: balances before it.
  for leg in 1 .. legs loop
    if statuses[leg_movement[leg]] = 'posted' then
      balance[leg_from[leg]] := balance[leg_from[leg]] + leg_amount[leg];
      balance[leg_to[leg]] := balance[leg_to[leg]] - leg_amount[leg];
    end if;
  end loop;

  for leg in 1 .. legs loop
    continue when statuses[leg_movement[leg]] <> 'posted';
    giver := leg_from[leg];
    taker := leg_to[leg];
    amount := leg_amount[leg];
    balance[giver] := balance[giver] - amount;
    balance[taker] := balance[taker] + amount;
    if leg_movement[leg] <> movement then
      movement := leg_movement[leg];
      bridged := '{}';
      row_place := coalesce(array_position(rows.movement, movement), 0);
      is_inflow := false;
      is_origin_known := false;
    end if;
    if not is_origin_known and (restricted[giver] > 0 or kind[giver] in ('card_settlement', 'bank_settlement', 'loss', 'fee')) then
      origin := origin_of_movement(batch.movement_id[movement], batch.movement_reference[movement], rows.payment_id[row_place]);
      is_origin_known := true;
    end if;

    -- Restricted parts of the amount.
    parts := '{}';
    if kind[giver] in ('wallet', 'hold') then
      if restricted[giver] > 0 then
        parts := take_restricted(accounts[giver], amount, restricted[giver] - balance[giver], origin,
          case kind[giver] when 'hold' then batch.movement_reference[movement] end, at);
        restricted[giver] := restricted[giver] - (select coalesce(sum(p.minor), 0) from unnest(parts) as p);
      end if;
    elsif kind[giver] in ('card_settlement', 'bank_settlement') and kind[taker] in ('wallet', 'bridge', 'bridge_stablecoin') then
      is_inflow := true;
      matures_at := maturity_of(origin, movement_at[movement]);
      if matures_at > movement_at[movement] then
        parts := array[row(case kind[giver] when 'card_settlement' then 'card' else 'bank_debit' end,
          origin, matures_at, amount)::restricted_part];
      end if;
    elsif batch.movement_kind[movement] = 'dispute_credit' and kind[taker] = 'wallet' then
      parts := array[row('provisional_credit', origin, 'infinity', amount)::restricted_part];
    elsif kind[giver] in ('bridge', 'bridge_stablecoin') and kind[taker] in ('wallet', 'hold') and cardinality(bridged) > 0 then
      converted_from := (
        select sum(leg_amount[l]) from generate_series(1, legs) as l
         where leg_movement[l] = movement and kind[leg_from[l]] in ('wallet', 'hold', 'card_settlement', 'bank_settlement')
           and kind[leg_to[l]] in ('bridge', 'bridge_stablecoin'));
      parts := convert_restricted(bridged, amount, converted_from);
    end if;
    continue when cardinality(parts) = 0;

    if kind[giver] = 'wallet' and kind[taker] <> 'fee' and rows.kind[row_place] = 'SEND' and not is_inflow then
      perform require_known_payee(rows.sender_id[row_place], rows.recipient_id[row_place], parts);
    end if;
    if kind[taker] in ('wallet', 'hold') then
      perform put_restricted(accounts[taker], case kind[taker] when 'hold' then batch.movement_reference[movement] end, parts, movement_at[movement]);
      restricted[taker] := restricted[taker] + (select sum(p.minor) from unnest(parts) as p);
    elsif kind[taker] in ('bridge', 'bridge_stablecoin') then
      bridged := bridged || parts;
    end if;
  end loop;
end
$$;

-- Deletes up to `at_most` lots that matured, or whose dispute was decided, before a time, but none that is still
-- restricted. Returns their ids.
create function forget_matured_money(before timestamptz, at_most int) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from restricted_money where id = any (array(
    select r.id from restricted_money r left join dispute d on d.id = r.origin and r.reason = 'provisional_credit'
     where r.matures_at < least(before, now()) or d.decided_at < before limit at_most))
  returning id
$$;

revoke all on function create_pending_transactions, fail_pending_transaction, price_pending_transaction,
  wait_for_movements, forget_matured_money, move_money from public;
