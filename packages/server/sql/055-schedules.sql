-- Owner: schedules. Sends that their sender ordered for later, once or again and again.

create table schedule (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  payee_id bigint not null references app_user (id),
  wallet_id uuid not null references wallet (id),
  source_currency text not null,
  target_currency text not null,
  -- Which amount stays the same: what leaves without the fee, or what arrives. Amounts are in minor units.
  side text not null check (side in ('source', 'target')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  note text not null check (length(note) <= 200),
  recurrence text not null check (recurrence in ('once', 'weekly', 'biweekly', 'monthly', 'month_end')),
  -- The date that all others are counted from.
  anchor_on date not null,
  time_zone text not null,
  -- The most that one send may cost, fee included, in the source currency: agreed to by the owner, and theirs to choose
  -- where it is a rate guard.
  ceiling_minor numeric(38, 0) not null check (ceiling_minor > 0),
  has_rate_guard boolean not null,
  -- For how many days a date waits for a lower price: less than a week, so that it ends before the next one.
  wait_days smallint not null check (wait_days between 0 and 6),
  -- When its owner confirmed this payee and this ceiling; null where the amount needed no confirmation.
  confirmed_at timestamptz,
  state text not null check (state in ('active', 'paused', 'stopped', 'finished')),
  -- The next date, when it is sent, and when the balance is looked at before; null once that is done.
  next_on date,
  next_at timestamptz,
  warn_at timestamptz,
  paused_until date,
  resume_at timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  constraint schedule_other_person check (payee_id <> user_id),
  constraint schedule_next check ((next_on is null) = (next_at is null) and (warn_at is null or next_at is not null)),
  constraint schedule_guard check (not has_rate_guard or (side = 'target' and source_currency <> target_currency)),
  constraint schedule_state check (
    case state when 'active' then (next_on is not null or recurrence = 'once') and paused_until is null and ended_at is null
               when 'paused' then (next_on is null) = (paused_until is null) and ended_at is null
               else next_on is null and paused_until is null and ended_at is not null end),
  constraint schedule_resume check ((paused_until is null) = (resume_at is null))
);
create index schedule_owner on schedule (user_id, state);
create index schedule_due on schedule (next_at) where state = 'active';
create index schedule_warn on schedule (warn_at) where state = 'active';
create index schedule_resume on schedule (resume_at) where state = 'paused';
create index schedule_ended on schedule (ended_at) where ended_at is not null;

-- One date of a schedule, from when it is due, or from when its owner skips it.
create table schedule_occurrence (
  id uuid primary key,
  schedule_id uuid not null references schedule (id),
  on_date date not null,
  due_at timestamptz not null,
  state text not null check (state in ('waiting', 'sent', 'skipped', 'failed', 'missed')),
  -- Why it waits, or what became of it: a code.
  reason text check (reason ~ '^[a-z][a-z_]{1,60}$'),
  -- Each try is a request of its own, under a key made of this row and this number.
  tries integer not null default 0 check (tries >= 0),
  try_at timestamptz,
  -- When it is given up; null until a try was refused.
  retry_until timestamptz,
  transaction_id uuid unique,
  -- What left, and what was allowed to.
  total_minor numeric(38, 0),
  ceiling_minor numeric(38, 0),
  closed_at timestamptz,
  -- No date is sent twice.
  constraint schedule_occurrence_date unique (schedule_id, on_date),
  constraint schedule_occurrence_open check ((state = 'waiting') = (try_at is not null) and (state = 'waiting') = (closed_at is null)),
  constraint schedule_occurrence_sent check (
    (state = 'sent') = (transaction_id is not null) and (state = 'sent') = (total_minor is not null)
    and (state = 'sent') = (ceiling_minor is not null)),
  constraint schedule_occurrence_within_ceiling check (total_minor <= ceiling_minor),
  constraint schedule_occurrence_reason check (state in ('waiting', 'sent') or reason is not null)
);
-- One at a time waits.
create unique index schedule_occurrence_waiting on schedule_occurrence (schedule_id) where state = 'waiting';
create index schedule_occurrence_due on schedule_occurrence (try_at) where state = 'waiting';
create index schedule_occurrence_closed on schedule_occurrence (closed_at) where closed_at is not null;
