-- Somebody pays in what was missing of money that a card or a bank had taken back from them.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('wallet', 'loss', 'settle', false);
