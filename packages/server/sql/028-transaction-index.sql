-- Owner: wallets. What long lists of transactions are filtered, sorted and searched by. The default order of a list needs
-- none of it: that is the primary key of `transaction`, whose ids ascend with time. These tables hold people with long
-- lists only, and the worker keeps them: nothing here is written while money moves.

-- Finds the rows since a position: for event streams, and for what the worker has not indexed yet. It grows at its right
-- end alone, which is the cheapest an index can be.
create index transaction_xid on transaction (xid, user_id);

-- One row. Every transaction number below `position` is over, and its rows of indexed people are in transaction_search.
-- A database restored into another cluster counts its transactions anew: then the position says nothing.
create table transaction_index_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null
);

-- Whose lists are indexed, or are to be.
create table transaction_index_person (
  user_id bigint primary key,
  -- While false, `built_from` is the position at which building began and `built_to` the last id that was reached.
  is_ready boolean not null default false,
  built_from xid8,
  built_to uuid
);

-- The distinct combinations of what a list is filtered by, and how many indexed rows each has.
create table transaction_facet (
  user_id bigint not null,
  facet int not null,
  kind text not null,
  status text not null,
  -- Whose balance changed; of an exchange the second is the balance it went to. Empty when there is none.
  currency text not null,
  second_currency text not null,
  row_count bigint not null default 0,
  primary key (user_id, facet),
  unique (user_id, kind, status, currency, second_currency)
);

create table transaction_search (
  user_id bigint not null,
  id uuid not null,
  facet int not null,
  -- As signed for this user, in minor units.
  amount numeric(38, 0) not null,
  description text collate "C" not null,
  -- Every word the row is found by, each after its user's number, so that nobody's words stand among another's.
  terms tsvector not null,
  primary key (user_id, id)
);
create index transaction_search_facet on transaction_search (user_id, facet, id);
-- Among equal keys the newest comes first, whichever way the keys go: so one index for each way.
create index transaction_search_amount_up on transaction_search (user_id, facet, amount, id desc);
create index transaction_search_amount_down on transaction_search (user_id, facet, amount desc, id desc);
create index transaction_search_description_up on transaction_search (user_id, facet, description, id desc);
create index transaction_search_description_down on transaction_search (user_id, facet, description desc, id desc);
create index transaction_search_terms on transaction_search using gin (terms);

-- People whose name has changed since rows that name them were indexed.
create table transaction_renamed (
  user_id bigint primary key
);
create function note_renamed() returns trigger language plpgsql as $$
begin
  insert into transaction_renamed (user_id) values (new.id) on conflict do nothing;
  return null;
end
$$;
create trigger note_renamed after update of username, name on app_user
  for each row when (old.username is distinct from new.username or old.name is distinct from new.name)
  execute function note_renamed();

insert into transaction_index_person (user_id)
  select user_id from transaction group by user_id having count(*) > 2000;
