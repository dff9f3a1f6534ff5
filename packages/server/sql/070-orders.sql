-- Owner: orders. Exchanges that wait for a rate, with their amount and fee on hold.

create table exchange_order (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  wallet_id uuid not null references wallet (id),
  -- The exchange in its owner's list: pending while the order waits.
  transaction_id uuid not null unique,
  kind text not null check (kind in ('limit', 'stop')),
  state text not null check (state in ('open', 'in_review', 'filled', 'cancelled', 'rejected', 'expired')),
  source_currency text not null references ledger.currency (code),
  target_currency text not null references ledger.currency (code),
  -- What is exchanged, and the fee on top, which it is never more than.
  source_minor numeric(38, 0) not null check (source_minor > 0),
  fee_minor numeric(38, 0) not null check (fee_minor >= 0),
  fee_basis_points integer not null check (fee_basis_points >= 0),
  -- Rates as their owner wrote them: for one whole unit of this currency.
  rate_currency text not null,
  rate text not null check (rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  worst_rate text not null check (worst_rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  -- What arrives at least.
  minimum_minor numeric(38, 0) not null check (minimum_minor > 0),
  -- Whole target units for one whole source unit: from where on up it is filled (limit), or down (stop).
  trigger_numerator numeric(90, 0) not null check (trigger_numerator > 0),
  trigger_denominator numeric(90, 0) not null check (trigger_denominator > 0),
  -- Counts what its owner changed: whoever fills it has seen the last change.
  version integer not null default 1 check (version > 0),
  expires_at timestamptz not null,
  -- Why it was not filled when its rate had come, and when that is tried again; null: at once.
  waiting_reason text check (waiting_reason ~ '^[a-z][a-z_]{1,60}$'),
  waiting_since timestamptz,
  try_at timestamptz,
  -- The price it was filled at, or is to be once it was reviewed.
  quote_id uuid unique,
  request_hash bytea not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  ended_at timestamptz,
  constraint exchange_order_two_currencies check (source_currency <> target_currency),
  constraint exchange_order_rate_currency check (rate_currency in (source_currency, target_currency)),
  constraint exchange_order_ended check ((state in ('open', 'in_review')) = (ended_at is null)),
  constraint exchange_order_priced check (
    case state when 'open' then quote_id is null when 'in_review' then quote_id is not null
      when 'filled' then quote_id is not null else true end),
  constraint exchange_order_waiting check ((waiting_reason is null) = (waiting_since is null))
);
-- By the trigger rounded down to 30 decimals, in order to find orders; the fraction decides.
create index exchange_order_triggered on exchange_order
  (source_currency, target_currency, kind, div(trigger_numerator * 1000000000000000000000000000000, trigger_denominator))
  where state = 'open';
create index exchange_order_due on exchange_order (expires_at) where state = 'open';
create index exchange_order_open on exchange_order (user_id, expires_at) where ended_at is null;
create index exchange_order_ended_at on exchange_order (user_id, ended_at) where ended_at is not null;
create index exchange_order_old on exchange_order (ended_at) where ended_at is not null and state <> 'filled';

-- Each change of an order under its key, so that repeating it changes nothing.
create table exchange_order_edit (
  id uuid primary key,
  order_id uuid not null references exchange_order (id) on delete cascade,
  request_hash bytea not null,
  created_at timestamptz not null
);
create index exchange_order_edit_order on exchange_order_edit (order_id);
create index exchange_order_edit_old on exchange_order_edit (created_at);

-- An exchange that waits for its rate has no price yet. Until it has one, its row says what is asked for: its owner may change
-- that, and at last the price takes its place. Everything else about a row stays as it was written, for every role.
drop trigger facts_are_kept on transaction;
create trigger facts_are_kept before update of user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id,
    from_wallet_id, to_wallet_id, description, source_currency, target_currency, fee_currency, payment_source, payment_id
  on transaction for each statement execute function refuse_change_of_transaction();
drop trigger price_is_kept on transaction;
create trigger price_is_kept before update of target_amount, stablecoin_amount, rate_numerator, rate_denominator
  on transaction for each row
  when (old.status <> 'PENDING' or old.kind = 'WITHDRAW' or (old.kind = 'EXCHANGE' and old.quote_id is not null))
  execute function refuse_change_of_transaction();
create trigger amounts_are_kept before update of source_amount, fee_amount, quote_id
  on transaction for each row
  when (old.status <> 'PENDING' or old.kind <> 'EXCHANGE' or old.quote_id is not null)
  execute function refuse_change_of_transaction();

-- Says on the pending row of an open order what is asked for, or at which price it is filled. Returns whether there is one.
create function price_pending_order(
  person bigint, reference uuid, source numeric, target numeric, stablecoin numeric, rate_numerator numeric,
  rate_denominator numeric, fee numeric, quote uuid
)
returns boolean
language sql
security definer
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
revoke all on function price_pending_order(bigint, uuid, numeric, numeric, numeric, numeric, numeric, numeric, uuid)
  from public;

-- The catalogue's sentences by which lists are searched have changed.
delete from transaction_index_position;
