-- Owner: privacy. What people agreed to, who looked at their data, what they want corrected, and how an account ends.

-- Each time somebody agrees, and when they take it back. `version` is that of the legal page they saw; mails have none.
create table consent (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  document text not null check (document in ('terms', 'privacy', 'mail_payments', 'mail_requests')),
  version integer check (version > 0),
  given_how text not null check (given_how in ('sign_up', 'settings')),
  given_at timestamptz not null,
  withdrawn_at timestamptz,
  check ((version is null) = (document like 'mail_%'))
);
create unique index consent_in_force on consent (user_id, document) where withdrawn_at is null;
create index consent_withdrawn on consent (withdrawn_at) where withdrawn_at is not null;
create index consent_by_user on consent (user_id, given_at);

-- Each reading of a person's data by somebody, as that person may read it.
create table data_access (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  at timestamptz not null,
  role text not null check (role ~ '^[a-z][a-z_]{1,40}$'),
  -- A pseudonym of one person in that role; null of the person themselves.
  operator text check (length(operator) between 1 and 40),
  purpose text not null check (purpose ~ '^[a-z][a-z_]{1,60}$'),
  what text[] not null check (cardinality(what) between 1 and 20)
);
create index data_access_by_user on data_access (user_id, at desc, id desc);
create index data_access_old on data_access (at);

create table correction_request (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  field text not null check (field ~ '^[a-z][a-z_]{1,40}$'),
  right_value text not null check (length(right_value) between 1 and 200),
  note text not null check (length(note) <= 1000),
  state text not null check (state in ('open', 'corrected', 'declined')),
  created_at timestamptz not null,
  due_at timestamptz not null check (due_at > created_at),
  decided_at timestamptz,
  decided_by text check (length(decided_by) between 1 and 80),
  answer text check (length(answer) between 1 and 1000),
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'open') = (answer is null and decided_by is null))
);
create unique index correction_request_open on correction_request (user_id, field) where state = 'open';
create index correction_request_old on correction_request (decided_at) where decided_at is not null;
create index correction_request_due on correction_request (due_at) where state = 'open';

-- Who somebody was that has left: what the law demands to be kept, sealed, until it is due.
create table retained_identity (
  id uuid primary key,
  user_id bigint not null unique references app_user (id),
  content bytea not null,
  closed_at timestamptz not null,
  due_at timestamptz not null check (due_at >= closed_at)
);
create index retained_identity_due on retained_identity (due_at);

alter table app_user add column deleted_at timestamptz;
-- What stands in the place of a username that was given back.
insert into reserved_username (word, as_part) values ('deleted', true) on conflict do nothing;

-- Nothing new begins with somebody who has left: whoever is about to insert such a row waits for a deletion that is under
-- way, and a deletion waits for them. The arguments are the columns that name people.
create function refuse_deleted_user() returns trigger language plpgsql as $$
declare
  people bigint[] := '{}';
  gone timestamptz;
begin
  for place in 0 .. tg_nargs - 1 loop
    people := people || (to_jsonb(new) ->> tg_argv[place])::bigint;
  end loop;
  for gone in select deleted_at from app_user where id = any(people) order by id for key share loop
    if gone is not null then
      raise exception 'a row of % names somebody who has left', tg_table_name using errcode = 'TU001';
    end if;
  end loop;
  return new;
end
$$;
create trigger people_are_there before insert on payment
  for each row execute function refuse_deleted_user('user_id', 'recipient_id');
create trigger people_are_there before insert on payout
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on transfer
  for each row execute function refuse_deleted_user('sender_id', 'recipient_id');
create trigger people_are_there before insert on payment_request
  for each row execute function refuse_deleted_user('requester_id', 'payer_id');
create trigger people_are_there before insert on exchange_order
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on schedule
  for each row execute function refuse_deleted_user('user_id', 'payee_id');
create trigger people_are_there before insert on bank_account
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on saved_card
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on bank_link
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on kyc_submission
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on session
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on favorite
  for each row execute function refuse_deleted_user('user_id', 'favorite_id');
create trigger people_are_there before insert on passkey
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on external_identity
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on protection_rule
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on rate_alert
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on correction_request
  for each row execute function refuse_deleted_user('user_id');

-- Whoever has left stays nobody, whatever was under way.
create function refuse_change_of_deleted_user() returns trigger language plpgsql as $$
begin
  raise exception 'user % has left', old.id using errcode = 'TU001';
end
$$;
create trigger deleted_is_deleted before update or delete on app_user
  for each row when (old.deleted_at is not null) execute function refuse_change_of_deleted_user();
