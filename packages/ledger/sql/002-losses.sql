-- Money that a card or a bank took back after the user had spent it: the part the user's wallet could not give. Kept apart
-- by its own kind of account, so that it is never mistaken for anything else and can be recovered.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('loss', 'card_settlement', 'chargeback', false),
  ('loss', 'bank_settlement', 'chargeback', false),
  ('loss', 'card_settlement', 'refund', false),
  ('loss', 'bank_settlement', 'refund', false),
  ('loss', 'bridge', 'refund', false),
  ('card_settlement', 'loss', 'refund', false),
  ('bank_settlement', 'loss', 'refund', false);
