-- A converted payment that had been taken back and was a loss in the wallet's currency comes again through the bridge.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('bridge', 'loss', 'refund', false);
