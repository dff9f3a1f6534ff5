-- Refusals: too little money, repeated ids, a used token, a route that is not permitted, and writes that bypass
-- ledger.post.

insert into ledger.currency (code, kind, scale) values ('USD', 'fiat', 2);

insert into ledger.account (name, kind, currency, floor) values
  ('wallet:ines:USD', 'wallet', 'USD', 0),
  ('wallet:lucas:USD', 'wallet', 'USD', 0),
  ('card:USD', 'card_settlement', 'USD', null)
returning id, name;

-- Ines gets 10.00 USD and sends 12.00, then 4.00. A refused movement moves nothing, and the rest of its batch proceeds.
-- The second movement asks for its refusal to be kept.
select unnest(ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2, 3],
  "movement_id": [
    "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002",
    "00000000-0000-4000-8000-000000000003"],
  "movement_hash": ["\\x01", "\\x02", "\\x03"],
  "movement_kind": ["deposit", "send", "send"],
  "movement_reference": [
    "00000000-0000-4000-9000-000000000001", "00000000-0000-4000-9000-000000000002",
    "00000000-0000-4000-9000-000000000003"],
  "movement_at": ["2026-03-01T10:00:00Z", "2026-03-01T10:01:00Z", "2026-03-01T10:02:00Z"],
  "movement_keeps_refusal": [false, true, false],
  "leg_movement": [1, 2, 3],
  "leg_from": [3, 1, 1],
  "leg_to": [1, 2, 2],
  "leg_amount": [1000, 1200, 400],
  "leg_code": ["deposit", "send", "send"]
}'))) as status;

select id, name, balance from ledger.account order by id;

-- Repetitions. The caller makes the id of a movement and repeats it until there is an answer, so:
--   the posted send is replayed, and nothing moves again,
--   and the kept refusal stays a refusal, although the wallet could now pay the smaller amount.
select unnest(ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2],
  "movement_id": ["00000000-0000-4000-8000-000000000003", "00000000-0000-4000-8000-000000000002"],
  "movement_hash": ["\\x03", "\\x02"],
  "movement_kind": ["send", "send"],
  "movement_reference": ["00000000-0000-4000-9000-000000000003", "00000000-0000-4000-9000-000000000002"],
  "movement_at": ["2026-03-01T11:00:00Z", "2026-03-01T11:00:00Z"],
  "leg_movement": [1, 2],
  "leg_from": [1, 1],
  "leg_to": [2, 2],
  "leg_amount": [400, 100],
  "leg_code": ["send", "send"]
}'))) as status;

-- The id of the posted send with another request, and so with another hash, is refused.
select unnest(ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2],
  "movement_id": ["00000000-0000-4000-8000-000000000003"],
  "movement_hash": ["\\xff"],
  "movement_kind": ["send"],
  "movement_reference": ["00000000-0000-4000-9000-000000000003"],
  "movement_at": ["2026-03-01T11:05:00Z"],
  "leg_movement": [1],
  "leg_from": [1],
  "leg_to": [2],
  "leg_amount": [500],
  "leg_code": ["send"]
}'))) as status;

-- A kept refusal is a posting without entries.
select id, kind, refusal, created_at from ledger.posting order by id;

-- A token, such as the right to move money at a quoted price, is used once. Its holder tries two movements with it, and
-- the second is refused.
select unnest(ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2],
  "tokens": ["00000000-0000-4000-a000-000000000001"],
  "movement_id": ["00000000-0000-4000-8000-000000000004", "00000000-0000-4000-8000-000000000005"],
  "movement_hash": ["\\x04", "\\x05"],
  "movement_kind": ["send", "send"],
  "movement_reference": ["00000000-0000-4000-9000-000000000004", "00000000-0000-4000-9000-000000000005"],
  "movement_at": ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"],
  "movement_token": [1, 1],
  "movement_holder": ["00000000-0000-4000-a000-000000000002", "00000000-0000-4000-a000-000000000002"],
  "leg_movement": [1, 2],
  "leg_from": [1, 1],
  "leg_to": [2, 2],
  "leg_amount": [100, 100],
  "leg_code": ["send", "send"]
}'))) as status;

select * from ledger.token;

-- Money moves only along permitted moves. None leads from the card processor to a wallet as a `send`.
select unnest(ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [3, 1],
  "movement_id": ["00000000-0000-4000-8000-000000000006"],
  "movement_hash": ["\\x06"],
  "movement_kind": ["send"],
  "movement_reference": ["00000000-0000-4000-9000-000000000006"],
  "movement_at": ["2026-03-01T12:05:00Z"],
  "leg_movement": [1],
  "leg_from": [1],
  "leg_to": [2],
  "leg_amount": [100],
  "leg_code": ["send"]
}'))) as status;

-- Closing an account that is not empty closes nothing, and returns its id.
select ledger.close_accounts(array[2]);

-- Entries and postings are never changed or deleted, and only ledger.post writes them: triggers refuse everybody else,
-- the owner of the tables included.
update ledger.entry set amount = 1;
delete from ledger.posting;
update ledger.account set balance = 1000000 where name = 'wallet:ines:USD';
insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
  values (1, 99, '00000000-0000-4000-8000-000000000001', 0, 5000, 5000, '2026-03-01T13:00:00Z');

-- The books still balance, and each balance is the sum of its entries.
select account.name, account.balance, sum(entry.amount) as entries
  from ledger.account join ledger.entry on entry.account_id = account.id
 group by account.id order by account.id;

select sum(balance) from ledger.account;
