-- Owner: wallets. What event streams need to survive a restore into another cluster.

-- When the status of a row last changed, by the database's clock; null for the many rows that stay as they were inserted.
alter table transaction add column changed_at timestamptz;
create index transaction_changed on transaction (user_id, changed_at) where changed_at is not null;

create function mark_transaction_changed() returns trigger language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$$;
create trigger transaction_changed before update of status on transaction
  for each row when (old.status is distinct from new.status) execute function mark_transaction_changed();

-- What is on its way to a user is summed with every view of their wallet.
create index transaction_pending_user on transaction (user_id) where status = 'PENDING';

-- The cluster whose transaction numbers `transaction.xid` holds. After a restore into another one the numbers mean nothing
-- there; `migrate` then makes them older than any of its own.
create table database_cluster (
  only_one boolean primary key default true check (only_one),
  identifier bigint not null
);
-- None is known: the database may have been restored before this was kept.
insert into database_cluster (identifier) values (0);
