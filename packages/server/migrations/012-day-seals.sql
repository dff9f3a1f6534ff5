-- Day seals: entries of the transparency log that commit to every balance and to the number of rows that must never
-- vanish. The audit since a seal starts from them.
-- compatible

-- The log has one seal for each day, whose date follows the kind of the entry.
create unique index transparency_leaf_day_seal on transparency_leaf (substring(data from 2 for 10))
  where get_byte(data, 0) = 2;

create table day_seal (
  -- In UTC.
  day date primary key,
  leaf_index bigint not null unique,
  -- JSON, whose SHA-256 is in the leaf.
  content text not null check (jsonb_typeof(content::jsonb) = 'object'),
  -- By the database's clock, after the balances were read.
  sealed_at timestamptz not null
);

-- Balances in the seals that the next audits may start from. Rows of older seals are deleted.
create table day_seal_account (
  day date not null,
  account_id bigint not null,
  -- Number of entries at the seal.
  version bigint not null check (version > 0),
  balance numeric(38, 0) not null,
  primary key (day, account_id)
);

create trigger seal_is_kept before delete or update or truncate on day_seal
  for each statement execute function refuse_change_of_log();
create trigger balance_is_kept before update or truncate on day_seal_account
  for each statement execute function refuse_change_of_log();

-- When the audit began to read, and the day of the seal from which it started; null if it read everything.
alter table audit_run add column started_at timestamptz;
alter table audit_run add column since date;
