-- Owner: transfers. Who shows one of their transfers to anybody with its link. The link's code is signed and made from the id,
-- so nobody who reads this table can open one.
create table tracking_link (
  id uuid primary key,
  -- As its sender has it.
  transaction_id uuid not null,
  user_id bigint not null references app_user (id),
  shows_amounts boolean not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint tracking_link_ends_later check (ended_at >= created_at)
);
create unique index tracking_link_open on tracking_link (user_id, transaction_id) where ended_at is null;
create index tracking_link_ended on tracking_link (ended_at) where ended_at is not null;
