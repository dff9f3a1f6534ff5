-- notifications owns: mail.

-- What has to be told to people. A row is written in the transaction of the event it tells of, and sent after the commit.
create table mail (
  -- Also the key under which the provider takes it: a mail that is sent again arrives once.
  id uuid primary key,
  user_id bigint references app_user,
  template text not null,
  -- Address, subject and both texts, encrypted: mails carry links that sign people in. Null once nobody needs it.
  content bytea,
  created_at timestamptz not null,
  -- Nobody sends it before; pushed on by whoever is about to send, and by each attempt that failed.
  due_at timestamptz not null,
  attempts integer not null default 0,
  sent_at timestamptz,
  -- It will never arrive: the provider turned it down, or it outlived its use.
  given_up_at timestamptz,
  given_up_reason text,
  check ((content is null) = (sent_at is not null or given_up_at is not null))
);
create index mail_due on mail (due_at) where sent_at is null and given_up_at is null;
