-- What a person is given back because of a dispute comes from our losses. It goes back there when it was not theirs, or when the
-- bank sends back the same money.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('loss', 'wallet', 'refund', false),
  ('wallet', 'loss', 'refund', false),
  ('payout_settlement', 'loss', 'refund', false);
