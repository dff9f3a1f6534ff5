-- Owner: transfers. For how long people can take back what they send, and of which sends. Without a row: 15 seconds, to payees never
-- paid before.
create table undo_window (
  user_id bigint primary key references app_user,
  seconds integer not null check (seconds between 0 and 1800),
  applies_to text not null check (applies_to in ('new_payees', 'everybody', 'nobody')),
  updated_at timestamptz not null
);
