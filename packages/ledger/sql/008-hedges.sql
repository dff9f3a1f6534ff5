-- The desk trades with a venue: a currency that it has too much of against one that it lacks.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('bridge', 'venue_settlement', 'hedge', false),
  ('venue_settlement', 'bridge', 'hedge', false);

-- Positions are read whenever a price is promised. Nothing that a movement changes is in it, so movements pay nothing.
create index account_of_system on ledger.account (kind, currency) where floor is null;
