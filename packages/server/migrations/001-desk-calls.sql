-- Calls of operators to users, which the app shows to the user while they last, and alerts of users about calls.
-- compatible
create table desk_call (
  id uuid primary key,
  user_id bigint not null references app_user,
  operator_id uuid not null references desk_operator,
  -- Operator's first name, shown to the user.
  caller text not null check (char_length(caller) between 1 and 60),
  about text not null check (about in ('payment', 'verification', 'security', 'question', 'account')),
  -- Spoken by the operator; removed when the call ends.
  code text check (code ~ '^[0-9]{6}$'),
  started_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > started_at),
  -- Time at which the user stated in the app that the caller said the code.
  confirmed_at timestamptz,
  ended_at timestamptz,
  ended_by text check (ended_by in ('operator', 'user', 'time', 'account')),
  constraint desk_call_end check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (code is not null))
);
create unique index desk_call_open_of_user on desk_call (user_id) where ended_at is null;
create unique index desk_call_open_of_operator on desk_call (operator_id) where ended_at is null;
create index desk_call_user on desk_call (user_id, started_at);
create index desk_call_operator on desk_call (operator_id);

create table desk_call_alert (
  id uuid primary key,
  user_id bigint not null references app_user,
  -- Refused call; null for a call by somebody else who claimed to be from Tern.
  call_id uuid unique references desk_call on delete cascade,
  raised_at timestamptz not null,
  seen_by uuid references desk_operator,
  seen_at timestamptz,
  constraint desk_call_alert_seen check ((seen_by is null) = (seen_at is null))
);
create index desk_call_alert_user on desk_call_alert (user_id, raised_at);
create index desk_call_alert_unseen on desk_call_alert (raised_at) where seen_at is null;
create index desk_call_alert_seen_by on desk_call_alert (seen_by);
