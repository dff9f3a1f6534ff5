-- Owner: orders. Rules by which money is exchanged without its owner being there.

create table protection_rule (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  kind text not null check (kind in ('keep_share', 'convert_incoming')),
  is_on boolean not null,
  currency text not null references ledger.currency (code),
  base_currency text not null references ledger.currency (code),
  share_percent integer check (share_percent between 1 and 99),
  -- In minor units of the base currency.
  threshold_minor numeric(38, 0) check (threshold_minor >= 0),
  -- Of `keep_share`: when the balance is looked at next, and from when on it may act again.
  check_at timestamptz,
  acts_from timestamptz,
  -- Of `convert_incoming`: what came in before concerns it not.
  on_since timestamptz not null,
  waiting_reason text check (waiting_reason ~ '^[a-z][a-z_]{1,60}$'),
  waiting_since timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint protection_rule_currency check (currency <> base_currency),
  constraint protection_rule_kind check (
    (kind = 'keep_share') = (share_percent is not null) and (kind = 'convert_incoming') = (threshold_minor is not null)),
  constraint protection_rule_waiting check ((waiting_reason is null) = (waiting_since is null))
);
create index protection_rule_person on protection_rule (user_id, created_at);
create index protection_rule_check on protection_rule (check_at) where is_on and kind = 'keep_share';
create index protection_rule_incoming on protection_rule (user_id) where is_on and kind = 'convert_incoming';

-- What a rule did, or tried, for one payment that came in or on one day: once each.
create table protection_action (
  id uuid primary key,
  rule_id uuid not null references protection_rule (id) on delete cascade,
  -- The payment that came in; null of `keep_share`.
  incoming_id uuid,
  state text not null check (state in ('waiting', 'done', 'not_needed', 'refused')),
  reason text check (reason ~ '^[a-z][a-z_]{1,60}$'),
  -- Each try is a request of its own, under a key made of this row and this number.
  tries integer not null default 0 check (tries >= 0),
  try_at timestamptz,
  transaction_id uuid unique,
  created_at timestamptz not null,
  closed_at timestamptz,
  constraint protection_action_once unique (rule_id, incoming_id),
  constraint protection_action_done check ((state = 'done') = (transaction_id is not null)),
  constraint protection_action_open check (
    (state = 'waiting') = (try_at is not null) and (state = 'waiting') = (closed_at is null))
);
create index protection_action_due on protection_action (try_at) where state = 'waiting';
create index protection_action_done_at on protection_action (rule_id, closed_at) where state = 'done';
create index protection_action_closed on protection_action (closed_at) where closed_at is not null;

-- How far the rules have followed what comes in, by transaction numbers of this cluster.
create table protection_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);
insert into protection_position (position, cluster)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system();
