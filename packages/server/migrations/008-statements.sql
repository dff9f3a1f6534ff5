-- Certificates of balance, and wishes to be mailed about each month's statement.
-- compatible

create table balance_certificate (
  id uuid primary key,
  user_id bigint not null references app_user,
  -- SHA-256 of the code, which is in the sealed facts only; it has 100 random bits.
  code_hash bytea not null unique check (length(code_hash) = 32),
  -- Sealed: the code, and what the certificate says.
  facts bytea not null,
  created_at timestamptz not null
);
create index balance_certificate_user on balance_certificate (user_id, created_at);
create index balance_certificate_created on balance_certificate (created_at);

create table statement_mail (
  user_id bigint primary key references app_user,
  -- Name in the IANA database, in which months end.
  time_zone text not null,
  -- First day of the month that the next mail is about, and the time from which it is sent.
  next_month date not null check (extract(day from next_month) = 1),
  due_at timestamptz not null,
  created_at timestamptz not null
);
create index statement_mail_due on statement_mail (due_at);
