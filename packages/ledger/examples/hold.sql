-- Holds: money that awaits a decision is set aside first, then released to its owner or settled elsewhere.

insert into ledger.currency (code, kind, scale) values ('EUR', 'fiat', 2);

insert into ledger.account (name, kind, currency, floor) values
  ('wallet:ines:EUR', 'wallet', 'EUR', 0),
  ('hold:ines:EUR', 'hold', 'EUR', 0),
  ('hold:lucas:EUR', 'hold', 'EUR', 0),
  ('bank:EUR', 'bank_settlement', 'EUR', null),
  ('payout:EUR', 'payout_settlement', 'EUR', null)
returning id, name;

-- A bank deposit of 80.00 EUR. Ines then withdraws 30.00 EUR: until the bank has paid, the money is on hold. Her
-- wallet's balance is what she can still spend.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [4, 1, 2],
  "movement_id": ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"],
  "movement_hash": ["\\x01", "\\x02"],
  "movement_kind": ["deposit", "reserve"],
  "movement_reference": ["00000000-0000-4000-9000-000000000001", "00000000-0000-4000-9000-000000000002"],
  "movement_at": ["2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z"],
  "leg_movement": [1, 2],
  "leg_from": [1, 2],
  "leg_to": [2, 3],
  "leg_amount": [8000, 3000],
  "leg_code": ["deposit", "reserve"]
}')) as statuses;

select name, balance from ledger.account order by id;

-- The bank declines, so the hold is released. A second withdrawal of 20.00 EUR is reserved, paid by the bank, and
-- settled.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2, 5],
  "movement_id": [
    "00000000-0000-4000-8000-000000000003", "00000000-0000-4000-8000-000000000004",
    "00000000-0000-4000-8000-000000000005"],
  "movement_hash": ["\\x03", "\\x04", "\\x05"],
  "movement_kind": ["release", "reserve", "settle"],
  "movement_reference": [
    "00000000-0000-4000-9000-000000000002", "00000000-0000-4000-9000-000000000003",
    "00000000-0000-4000-9000-000000000003"],
  "movement_at": ["2026-03-02T09:00:00Z", "2026-03-02T09:30:00Z", "2026-03-03T09:00:00Z"],
  "leg_movement": [1, 2, 3],
  "leg_from": [2, 1, 2],
  "leg_to": [1, 2, 3],
  "leg_amount": [3000, 2000, 2000],
  "leg_code": ["release", "reserve", "settle"]
}')) as statuses;

select name, balance from ledger.account order by id;

-- The postings of a withdrawal share its reference.
select posting.reference, posting.kind, entry.amount as change_of_wallet, posting.created_at
  from ledger.posting left join ledger.entry on entry.posting_id = posting.id and entry.account_id = 1
 where posting.kind <> 'deposit' order by posting.created_at;

-- Both accounts of a `reserve` or `release` belong to the same wallet; Lucas's hold takes nothing from Ines.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 3],
  "movement_id": ["00000000-0000-4000-8000-000000000006"],
  "movement_hash": ["\\x06"],
  "movement_kind": ["reserve"],
  "movement_reference": ["00000000-0000-4000-9000-000000000004"],
  "movement_at": ["2026-03-03T10:00:00Z"],
  "leg_movement": [1],
  "leg_from": [1],
  "leg_to": [2],
  "leg_amount": [100],
  "leg_code": ["reserve"]
}')) as statuses;
