-- Deposit and send: opens accounts, brings money in from a card, and sends some of it for a fee.

-- Each currency states the decimals of its minor unit. All amounts below are whole minor units: cents.
insert into ledger.currency (code, kind, scale) values ('USD', 'fiat', 2);

-- An account holds one currency, and its name states owner and purpose. The floor of a user's account is zero. System
-- accounts have none: the balance of `card:USD` is minus what the card processor owes us.
insert into ledger.account (name, kind, currency, floor) values
  ('wallet:ines:USD', 'wallet', 'USD', 0),
  ('wallet:lucas:USD', 'wallet', 'USD', 0),
  ('card:USD', 'card_settlement', 'USD', null),
  ('fee:USD', 'fee', 'USD', null)
returning id, name, floor, balance;

-- Money takes permitted routes only. These two lead out of a wallet.
select from_kind, to_kind, code from ledger.permitted_move
 where from_kind = 'wallet' and code in ('send', 'fee') order by code;

-- Money moves in batches of movements, each with its legs. The batch lists its accounts once; legs refer to them, and
-- to their movement, by position from 1. Here one leg moves 100.00 USD from the card processor to Ines.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [3, 1],
  "movement_id": ["00000000-0000-4000-8000-000000000001"],
  "movement_hash": ["\\x01"],
  "movement_kind": ["deposit"],
  "movement_reference": ["00000000-0000-4000-9000-000000000001"],
  "movement_at": ["2026-03-01T10:00:00Z"],
  "leg_movement": [1],
  "leg_from": [1],
  "leg_to": [2],
  "leg_amount": [10000],
  "leg_code": ["deposit"]
}')) as statuses;

-- Ines sends Lucas 25.00 USD and pays a fee of 0.25 USD: one movement of two legs, posted together or not at all.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2, 4],
  "movement_id": ["00000000-0000-4000-8000-000000000002"],
  "movement_hash": ["\\x02"],
  "movement_kind": ["send"],
  "movement_reference": ["00000000-0000-4000-9000-000000000002"],
  "movement_at": ["2026-03-01T10:05:00Z"],
  "leg_movement": [1, 1],
  "leg_from": [1, 1],
  "leg_to": [2, 3],
  "leg_amount": [2500, 25],
  "leg_code": ["send", "fee"]
}')) as statuses;

-- Balances. The version counts the entries of an account.
select id, name, balance, version from ledger.account order by id;

-- The account statement of Ines: every entry carries the balance after it, and the time of its posting.
select entry.version, posting.kind, entry.leg, entry.amount, entry.balance, entry.created_at
  from ledger.entry join ledger.posting on posting.id = entry.posting_id
 where entry.account_id = 1 order by entry.version;

-- Each leg made two entries of opposite sign, so a posting sums to zero.
select posting.kind, count(*) as entries, sum(entry.amount)
  from ledger.entry join ledger.posting on posting.id = entry.posting_id
 group by posting.id order by posting.id;

-- So does the currency: wallets and fees together hold what the card processor owes us.
select currency, sum(balance) from ledger.account group by currency;
