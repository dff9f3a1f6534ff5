-- Exchange orders, rules that protect balances by exchanging them, and rate alerts.

create table exchange_order (
  id uuid primary key,
  user_id bigint not null references app_user,
  wallet_id uuid not null references wallet,
  -- The exchange in the user's list of transactions, pending while the order is open.
  transaction_id uuid not null unique,
  kind text not null check (kind in ('limit', 'stop')),
  state text not null check (state in ('open', 'in_review', 'filled', 'cancelled', 'rejected', 'expired')),
  source_currency text not null references ledger.currency,
  target_currency text not null references ledger.currency,
  -- Amount to exchange, and the highest fee on top of it.
  source_minor numeric(38, 0) not null check (source_minor > 0),
  fee_minor numeric(38, 0) not null check (fee_minor >= 0),
  fee_basis_points integer not null check (fee_basis_points >= 0),
  -- Rates as entered by the user, per whole unit of this currency.
  rate_currency text not null,
  rate text not null check (rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  worst_rate text not null check (worst_rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  -- Lowest amount to receive.
  minimum_minor numeric(38, 0) not null check (minimum_minor > 0),
  -- Whole target units per whole source unit. Filled at or above this rate (limit), or at or below it (stop).
  trigger_numerator numeric(90, 0) not null check (trigger_numerator > 0),
  trigger_denominator numeric(90, 0) not null check (trigger_denominator > 0),
  -- Incremented by each edit, so that a fill cannot miss one.
  version integer not null default 1 check (version > 0),
  expires_at timestamptz not null,
  -- Reason why it was not filled although its rate was reached.
  waiting_reason text check (waiting_reason ~ '^[a-z][a-z_]{1,60}$'),
  waiting_since timestamptz,
  -- Time of the next attempt; null: at once.
  try_at timestamptz,
  -- Price at which it was filled, or will be after review.
  quote_id uuid unique,
  request_hash bytea not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  ended_at timestamptz,
  constraint exchange_order_ended check ((state in ('open', 'in_review')) = (ended_at is null)),
  constraint exchange_order_priced check (
    case state
      when 'open' then quote_id is null
      when 'in_review' then quote_id is not null
      when 'filled' then quote_id is not null
      else true
    end),
  constraint exchange_order_rate_currency check (rate_currency = source_currency or rate_currency = target_currency),
  constraint exchange_order_two_currencies check (source_currency <> target_currency),
  constraint exchange_order_waiting check ((waiting_reason is null) = (waiting_since is null))
);
-- Finds candidates by the trigger rounded down to 30 decimals; the exact fraction decides.
create index exchange_order_triggered on exchange_order (source_currency, target_currency, kind,
  div(trigger_numerator * '1000000000000000000000000000000'::numeric, trigger_denominator)) where state = 'open';
create index exchange_order_due on exchange_order (expires_at) where state = 'open';
create index exchange_order_open on exchange_order (user_id, expires_at) where ended_at is null;
create index exchange_order_ended_at on exchange_order (user_id, ended_at) where ended_at is not null;
create index exchange_order_old on exchange_order (ended_at) where ended_at is not null and state <> 'filled';
create trigger people_are_there before insert on exchange_order
  for each row execute function refuse_deleted_user('user_id');
call seal_table('exchange_order', '{id}', '{user_id, wallet_id, transaction_id, kind, state, source_currency,
  target_currency, source_minor, fee_minor, fee_basis_points, rate_currency, rate, worst_rate, minimum_minor,
  trigger_numerator, trigger_denominator, expires_at, quote_id, created_at, ended_at}');

-- Edits of orders by their idempotency key.
create table exchange_order_edit (
  id uuid primary key,
  order_id uuid not null references exchange_order on delete cascade,
  request_hash bytea not null,
  created_at timestamptz not null
);
create index exchange_order_edit_order on exchange_order_edit (order_id);
create index exchange_order_edit_old on exchange_order_edit (created_at);

-- Rules that keep a share of a wallet in `currency`, or convert incoming base currency into it.
create table protection_rule (
  id uuid primary key,
  user_id bigint not null references app_user,
  kind text not null check (kind in ('keep_share', 'convert_incoming')),
  is_on boolean not null,
  currency text not null references ledger.currency,
  base_currency text not null references ledger.currency,
  share_percent integer check (share_percent between 1 and 99),
  -- Minor units of the base currency.
  threshold_minor numeric(38, 0) check (threshold_minor >= 0),
  -- For `keep_share`: when the balance is checked next, and when the rule may act again.
  check_at timestamptz,
  acts_from timestamptz,
  -- For `convert_incoming`: earlier payments are not converted.
  on_since timestamptz not null,
  waiting_reason text check (waiting_reason ~ '^[a-z][a-z_]{1,60}$'),
  waiting_since timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint protection_rule_currency check (currency <> base_currency),
  constraint protection_rule_kind check ((kind = 'keep_share') = (share_percent is not null)
    and (kind = 'convert_incoming') = (threshold_minor is not null)),
  constraint protection_rule_waiting check ((waiting_reason is null) = (waiting_since is null))
);
create index protection_rule_person on protection_rule (user_id, created_at);
create index protection_rule_check on protection_rule (check_at) where is_on and kind = 'keep_share';
create index protection_rule_incoming on protection_rule (user_id) where is_on and kind = 'convert_incoming';
create trigger people_are_there before insert on protection_rule
  for each row execute function refuse_deleted_user('user_id');
call seal_table('protection_rule', '{id}', '{user_id, kind, is_on, currency, base_currency, share_percent,
  threshold_minor}');

-- Actions of rules: at most one for each incoming payment (`convert_incoming`) or day (`keep_share`).
create table protection_action (
  id uuid primary key,
  rule_id uuid not null references protection_rule on delete cascade,
  -- Incoming payment; null for `keep_share`.
  incoming_id uuid,
  state text not null check (state in ('waiting', 'done', 'not_needed', 'refused')),
  reason text check (reason ~ '^[a-z][a-z_]{1,60}$'),
  -- Each attempt is a request whose key derives from this row and this number.
  tries integer not null default 0 check (tries >= 0),
  try_at timestamptz,
  transaction_id uuid unique,
  created_at timestamptz not null,
  closed_at timestamptz,
  constraint protection_action_done check ((state = 'done') = (transaction_id is not null)),
  constraint protection_action_once unique (rule_id, incoming_id),
  constraint protection_action_open check ((state = 'waiting') = (try_at is not null)
    and (state = 'waiting') = (closed_at is null))
);
create index protection_action_due on protection_action (try_at) where state = 'waiting';
create index protection_action_done_at on protection_action (rule_id, closed_at) where state = 'done';
create index protection_action_closed on protection_action (closed_at) where closed_at is not null;

-- Transaction number of `cluster` below which all incoming payments were processed.
create table protection_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);
insert into protection_position (position, cluster)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system();

-- Alerts when a rate is reached, sent once.
create table rate_alert (
  id uuid primary key,
  user_id bigint not null references app_user,
  source_currency text not null references ledger.currency,
  target_currency text not null references ledger.currency,
  rate_side text not null check (rate_side in ('at_least', 'at_most')),
  rate text not null check (rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  -- Whole target units per whole source unit.
  trigger_numerator numeric(90, 0) not null check (trigger_numerator > 0),
  trigger_denominator numeric(90, 0) not null check (trigger_denominator > 0),
  -- When the alert was sent, with the rate and its sources.
  told_at timestamptz,
  told_rate text,
  told_source text,
  told_as_of timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint rate_alert_told check ((told_at is null) = (told_rate is null)
    and (told_at is null) = (told_source is null) and (told_at is null) = (told_as_of is null)),
  constraint rate_alert_two_currencies check (source_currency <> target_currency)
);
-- Finds candidates by the trigger rounded down to 30 decimals; the exact fraction decides.
create index rate_alert_triggered on rate_alert (source_currency, target_currency, rate_side,
  div(trigger_numerator * '1000000000000000000000000000000'::numeric, trigger_denominator)) where told_at is null;
create index rate_alert_person on rate_alert (user_id, created_at);
create index rate_alert_old on rate_alert (told_at) where told_at is not null;
create trigger people_are_there before insert on rate_alert
  for each row execute function refuse_deleted_user('user_id');

-- Alerts when a pair has rates again, deleted when sent.
create table rate_return_alert (
  user_id bigint not null references app_user,
  source_currency text not null references ledger.currency,
  target_currency text not null references ledger.currency,
  created_at timestamptz not null,
  primary key (user_id, source_currency, target_currency),
  constraint rate_return_alert_two_currencies check (source_currency <> target_currency)
);
create index rate_return_alert_pair on rate_return_alert (source_currency, target_currency);
create index rate_return_alert_old on rate_return_alert (created_at);

-- Stores the terms or the price of an open order in its pending transaction. Returns whether there is one.
create function price_pending_order(
  person bigint, reference uuid, source numeric, target numeric, stablecoin numeric, rate_numerator numeric,
  rate_denominator numeric, fee numeric, quote uuid
) returns boolean
language sql security definer
set search_path = pg_catalog, public, pg_temp
as $$
  with priced as (
    update transaction t
       set source_amount = source, target_amount = target, stablecoin_amount = stablecoin,
           rate_numerator = price_pending_order.rate_numerator, rate_denominator = price_pending_order.rate_denominator,
           fee_amount = fee, quote_id = quote, xid = pg_current_xact_id()
     where t.user_id = person and t.id = reference and t.status = 'PENDING' and t.kind = 'EXCHANGE'
       and exists (select from exchange_order o where o.transaction_id = t.id and o.user_id = t.user_id and o.state = 'open')
    returning true
  )
  select exists (select from priced)
$$;

revoke all on function price_pending_order from public;
