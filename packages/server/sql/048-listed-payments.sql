-- Owner: payments. A payment that its provider is still processing is listed as pending, by card as by bank; and whoever a
-- send goes to sees it coming.

-- `is_listed`: its payer has a transaction of it. `is_announced`: so has the recipient of its send.
alter table payment
  add column is_listed boolean not null default false,
  add column is_announced boolean not null default false;

update payment set is_listed = true where method = 'bank' or wallet_part_minor > 0;
update payment p set is_announced = true
 where p.purpose = 'send' and p.status in ('completed', 'reversed') and not p.holds_transfer;
update payment p set is_listed = true
 where not p.is_listed and p.status in ('completed', 'reversed');
