-- Mails to send, notifications in the product, mail settings, and the changes that event streams report.

-- Mails, written in the transaction of the event they report and sent after its commit.
create table mail (
  -- Also the idempotency key at the provider.
  id uuid primary key,
  user_id bigint,
  template text not null,
  -- Address, language and template data, encrypted since links in mails sign people in. Null once sent or given up.
  content bytea,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- When the provider refused it or it was no longer useful.
  given_up_at timestamptz,
  given_up_reason text,
  check ((content is null) = (sent_at is not null or given_up_at is not null)),
  constraint mail_given_up_reason_is_code check (given_up_reason ~ '^[a-z_]+$')
);
create index mail_created_at on mail (created_at);
create index mail_waiting on mail (created_at) where sent_at is null and given_up_at is null;
create index mail_of_user on mail (user_id, template, created_at) where user_id is not null;

-- Notifications of users about events. The sentences are looked up when they are read.
create table notification (
  id uuid primary key,
  user_id bigint not null,
  code text not null check (code ~ '^[a-z][a-z_]{1,60}$'),
  -- Codes, names, and amounts as decimal strings with their currency.
  params jsonb not null check (jsonb_typeof(params) = 'object'),
  -- Id of the transaction, request, schedule, transfer or session.
  subject_id uuid,
  -- Identifies the event among those of its user and code, so that it is reported once.
  dedupe text not null check (length(dedupe) <= 200),
  -- Needs an action by the user: listed first until `answered_at`.
  needs_action boolean not null default false,
  created_at timestamptz not null,
  read_at timestamptz,
  -- When it is due in a mail that summarizes several payments.
  mail_due_at timestamptz,
  answered_at timestamptz,
  -- Group in the list of notifications: by kind and device; by kind, person and currency of a UTC day; or the settled
  -- security events of a UTC month. Other kinds are a group by themselves.
  group_key uuid not null generated always as (
    case
      when code in ('new_sign_in', 'security_change') and read_at is not null
        and not (needs_action and answered_at is null)
        then md5('security ' || extract(epoch from date_trunc('month', created_at at time zone 'UTC'))::text)::uuid
      when code in ('new_sign_in', 'security_change')
        then md5((needs_action and answered_at is null)::text || ' ' || code
          || ' ' || coalesce((params -> 'change')::text, '') || ' ' || coalesce((params -> 'browser')::text, '')
          || ' ' || coalesce((params -> 'system')::text, '')
          || ' ' || coalesce((params -> 'country')::text, (params -> 'network')::text, ''))::uuid
      when code in ('money_received', 'request_received', 'request_reminder', 'request_paid', 'request_part_paid',
          'schedule_sent')
        then md5((needs_action and answered_at is null)::text || ' ' || code
          || ' ' || coalesce((params -> 'person')::text, '') || ' ' || coalesce((params -> 'currency')::text, '')
          || ' ' || ((created_at at time zone 'UTC')::date - date '2000-01-01')::text)::uuid
      when code in ('deposit_arrived', 'order_filled', 'protection_acted', 'rate_alert')
        then md5((needs_action and answered_at is null)::text || ' ' || code
          || ' ' || coalesce((params -> 'currency')::text, '')
          || ' ' || ((created_at at time zone 'UTC')::date - date '2000-01-01')::text)::uuid
      else id
    end) stored,
  unique (user_id, code, dedupe)
);
create index notification_list on notification (user_id, id);
create index notification_unread on notification (user_id, id) where read_at is null;
create index notification_created on notification (created_at);
create index notification_mail_due on notification (user_id, mail_due_at) where mail_due_at is not null;
create index notification_open on notification (user_id, id) where needs_action and answered_at is null;
-- Finds the notifications of a group, newest first.
create index notification_group on notification (user_id, group_key, id);
-- Counts unread groups by an index-only scan.
create index notification_unread_group on notification (user_id, group_key) where read_at is null;

-- Lists of users that changed, found by event streams by the number of the changing transaction. Rows are only added,
-- so that no transaction waits for another.
create table changed_topic (
  xid xid8 not null default pg_current_xact_id(),
  user_id bigint not null,
  topic text not null check (topic ~ '^[a-z]{1,40}$'),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (xid, user_id, topic)
);
create index changed_topic_user on changed_topic (user_id, xid);
create index changed_topic_time on changed_topic (changed_at);

-- Optional mails a user receives; all without a row. Security mails are always sent.
create table mail_choice (
  user_id bigint primary key,
  payments boolean not null,
  requests boolean not null
);
