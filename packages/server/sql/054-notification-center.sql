-- Owner: notifications. What people are told in the product, and which of their lists changed.

-- One event told to one person. Sentences are looked up when it is read.
create table notification (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  code text not null check (code ~ '^[a-z][a-z_]{1,60}$'),
  -- Codes, names, and amounts as decimal strings with their currency.
  params jsonb not null check (jsonb_typeof(params) = 'object'),
  -- The transaction, request, schedule, transfer or session it is about.
  subject_id uuid,
  -- One event is told once.
  dedupe text not null check (length(dedupe) <= 200),
  -- Waits for the person: listed first until it is read.
  needs_action boolean not null default false,
  created_at timestamptz not null,
  read_at timestamptz,
  -- When it goes into the mail that sums up many payments.
  mail_due_at timestamptz,
  unique (user_id, code, dedupe)
);
create index notification_list on notification (user_id, id);
create index notification_unread on notification (user_id, id) where read_at is null;
create index notification_created on notification (created_at);
create index notification_mail_due on notification (user_id, mail_due_at) where mail_due_at is not null;
create index mail_of_user on mail (user_id, template, created_at) where user_id is not null;

-- Which lists of whom changed, for event streams, which find them by the number of the transaction that changed them. Rows
-- are only added, so that no transaction waits for another.
create table changed_topic (
  xid xid8 not null default pg_current_xact_id(),
  user_id bigint not null,
  topic text not null check (topic ~ '^[a-z]{1,40}$'),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (xid, user_id, topic)
);
create index changed_topic_user on changed_topic (user_id, xid);
create index changed_topic_time on changed_topic (changed_at);

-- One row. People were told of the transactions of every number below `position`. In another cluster it means nothing.
create table told_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);
-- Nobody is told of what happened before this.
insert into told_position (position, cluster)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system();

-- The mails that people chose not to get; without a row, they get all. Mails about security have no choice.
create table mail_choice (
  user_id bigint primary key references app_user (id),
  money_received boolean not null,
  requests boolean not null
);
