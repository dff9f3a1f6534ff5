-- Scheduled sends, once or recurring, and their dates.

create table schedule (
  id uuid primary key,
  user_id bigint not null references app_user,
  payee_id bigint not null references app_user,
  wallet_id uuid not null references wallet,
  source_currency text not null,
  target_currency text not null,
  -- Which amount is fixed: the debit without the fee, or the credit.
  side text not null check (side in ('source', 'target')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  note text not null check (length(note) <= 200),
  recurrence text not null check (recurrence in ('once', 'weekly', 'biweekly', 'monthly', 'month_end')),
  -- Date from which all others are counted.
  anchor_on date not null,
  time_zone text not null,
  -- Highest debit of one send, fee included, in the source currency. Set by the user if it is a rate guard.
  ceiling_minor numeric(38, 0) not null check (ceiling_minor > 0),
  has_rate_guard boolean not null,
  -- How long a date waits for a lower price: less than a week, so that it ends before the next date.
  wait_days smallint not null check (wait_days between 0 and 6),
  -- When the user confirmed payee and ceiling; null if the amount required no confirmation.
  confirmed_at timestamptz,
  state text not null check (state in ('active', 'paused', 'stopped', 'finished')),
  -- Next date, and when it is sent.
  next_on date,
  next_at timestamptz,
  -- When the balance is checked for the next date; null once done.
  warn_at timestamptz,
  paused_until date,
  resume_at timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  -- Rhythm, ceiling and first date as last confirmed. Edits within them need no confirmation; other dates are not sent.
  confirmed_recurrence text not null
    check (confirmed_recurrence in ('once', 'weekly', 'biweekly', 'monthly', 'month_end')),
  confirmed_ceiling_minor numeric(38, 0) not null check (confirmed_ceiling_minor > 0),
  confirmed_from date not null,
  constraint schedule_guard check (not has_rate_guard or side = 'target' and source_currency <> target_currency),
  constraint schedule_next check ((next_on is null) = (next_at is null) and (warn_at is null or next_at is not null)),
  constraint schedule_other_person check (payee_id <> user_id),
  constraint schedule_resume check ((paused_until is null) = (resume_at is null)),
  constraint schedule_state check (
    case state
      when 'active' then (next_on is not null or recurrence = 'once') and paused_until is null and ended_at is null
      when 'paused' then (next_on is null) = (paused_until is null) and ended_at is null
      else next_on is null and paused_until is null and ended_at is not null
    end),
  constraint schedule_within_confirmed check (ceiling_minor <= confirmed_ceiling_minor)
);
create index schedule_owner on schedule (user_id, state);
create index schedule_due on schedule (next_at) where state = 'active';
create index schedule_warn on schedule (warn_at) where state = 'active';
create index schedule_resume on schedule (resume_at) where state = 'paused';
create index schedule_ended on schedule (ended_at) where ended_at is not null;
create trigger people_are_there before insert on schedule
  for each row execute function refuse_deleted_user('user_id', 'payee_id');
call seal_table('schedule', '{id}', '{user_id, payee_id, wallet_id, source_currency, target_currency, side,
  amount_minor, recurrence, anchor_on, time_zone, ceiling_minor, has_rate_guard, wait_days, confirmed_at,
  confirmed_recurrence, confirmed_ceiling_minor, confirmed_from, state, next_on}');

-- Dates of schedules that are due or past, or that the user skipped.
create table schedule_occurrence (
  id uuid primary key,
  schedule_id uuid not null references schedule,
  on_date date not null,
  due_at timestamptz not null,
  state text not null check (state in ('waiting', 'sent', 'skipped', 'failed', 'missed')),
  -- Reason why it waits or was not sent.
  reason text check (reason ~ '^[a-z][a-z_]{1,60}$'),
  -- Each attempt is a request whose key derives from this row and this number.
  tries integer not null default 0 check (tries >= 0),
  try_at timestamptz,
  -- When retries end; null until an attempt was refused.
  retry_until timestamptz,
  transaction_id uuid unique,
  -- Debit, fee included, and the ceiling at that time, in the source currency.
  total_minor numeric(38, 0),
  ceiling_minor numeric(38, 0),
  closed_at timestamptz,
  constraint schedule_occurrence_date unique (schedule_id, on_date),
  constraint schedule_occurrence_open check ((state = 'waiting') = (try_at is not null)
    and (state = 'waiting') = (closed_at is null)),
  constraint schedule_occurrence_reason check (state in ('waiting', 'sent') or reason is not null),
  constraint schedule_occurrence_sent check ((state = 'sent') = (transaction_id is not null)
    and (state = 'sent') = (total_minor is not null) and (state = 'sent') = (ceiling_minor is not null)),
  constraint schedule_occurrence_within_ceiling check (total_minor <= ceiling_minor)
);
create unique index schedule_occurrence_waiting on schedule_occurrence (schedule_id) where state = 'waiting';
create index schedule_occurrence_due on schedule_occurrence (try_at) where state = 'waiting';
create index schedule_occurrence_closed on schedule_occurrence (closed_at) where closed_at is not null;
call seal_table('schedule_occurrence', '{id}', '{schedule_id, on_date, due_at, state, transaction_id, total_minor,
  ceiling_minor, closed_at}');
