-- Consents, the log of accesses to personal data, correction requests, and identities retained after deletion.

-- Consents given, and when they were withdrawn.
create table consent (
  id uuid primary key,
  user_id bigint not null references app_user,
  document text not null check (document in ('terms', 'privacy', 'mail_payments', 'mail_requests')),
  -- Version of the legal page; null for mails.
  version integer check (version > 0),
  given_how text not null check (given_how in ('sign_up', 'settings')),
  given_at timestamptz not null,
  withdrawn_at timestamptz,
  check ((version is null) = (document like 'mail_%'))
);
create unique index consent_in_force on consent (user_id, document) where withdrawn_at is null;
create index consent_withdrawn on consent (withdrawn_at) where withdrawn_at is not null;
create index consent_by_user on consent (user_id, given_at);

-- Accesses to a user's data, which the user may read.
create table data_access (
  id uuid primary key,
  user_id bigint not null references app_user,
  at timestamptz not null,
  role text not null check (role ~ '^[a-z][a-z_]{1,40}$'),
  -- Pseudonym of the operator; null for the user.
  operator text check (length(operator) between 1 and 40),
  purpose text not null check (purpose ~ '^[a-z][a-z_]{1,60}$'),
  what text[] not null check (cardinality(what) between 1 and 20)
);
create index data_access_by_user on data_access (user_id, at desc, id desc);
create index data_access_old on data_access (at);

-- Requests to correct personal data.
create table correction_request (
  id uuid primary key,
  user_id bigint not null references app_user,
  field text not null check (field ~ '^[a-z][a-z_]{1,40}$'),
  right_value text not null check (length(right_value) between 1 and 200),
  note text not null check (length(note) <= 1000),
  state text not null check (state in ('open', 'corrected', 'declined')),
  created_at timestamptz not null,
  due_at timestamptz not null,
  decided_at timestamptz,
  decided_by text check (length(decided_by) between 1 and 80),
  answer text check (length(answer) between 1 and 1000),
  check (due_at > created_at),
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'open') = (answer is null and decided_by is null))
);
create unique index correction_request_open on correction_request (user_id, field) where state = 'open';
create index correction_request_old on correction_request (decided_at) where decided_at is not null;
create index correction_request_due on correction_request (due_at) where state = 'open';
create trigger people_are_there before insert on correction_request
  for each row execute function refuse_deleted_user('user_id');

-- Identities of deleted users, encrypted, which the law requires to keep until `due_at`.
create table retained_identity (
  id uuid primary key,
  user_id bigint not null unique references app_user,
  content bytea not null,
  closed_at timestamptz not null,
  due_at timestamptz not null,
  check (due_at >= closed_at)
);
create index retained_identity_due on retained_identity (due_at);
