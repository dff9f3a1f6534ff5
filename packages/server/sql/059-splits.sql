-- Owner: requests. A bill that somebody split: its total, and a payment request for each other person's part. Nothing of it
-- changes; what is paid, the requests say. The audit proves that own part and requests add up to the total.
create table split (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  total_minor numeric(38, 0) not null check (total_minor > 0),
  currency text not null references ledger.currency (code),
  description text check (length(description) between 1 and 200),
  split_by text not null check (split_by in ('equal', 'shares', 'amounts')),
  -- Null: they are not in the split, and the others pay the whole.
  own_minor numeric(38, 0),
  own_shares integer check (own_shares between 1 and 1000),
  -- How many are asked.
  people integer not null check (people between 1 and 30),
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  unique (user_id, idempotency_key),
  constraint split_own_part check (own_minor > 0 and own_minor < total_minor),
  constraint split_own_shares check ((own_shares is not null) = (split_by = 'shares' and own_minor is not null)),
  constraint split_between_people check (people + (own_minor is not null)::integer between 2 and 30)
);
create index split_of_user on split (user_id, id);

-- The requests of a split, in the order of its list.
create table split_part (
  split_id uuid not null references split (id),
  position integer not null check (position between 1 and 30),
  request_id uuid not null unique references payment_request (id),
  -- How many shares the part is; null unless split by shares.
  shares integer check (shares between 1 and 1000),
  primary key (split_id, position)
);
