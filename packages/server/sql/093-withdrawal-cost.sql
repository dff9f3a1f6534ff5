-- Owner: payments. What it costs to take money from cards to a bank.

-- Cards cost us a share of what they pay in, so a withdrawal of such money costs it too. A new version is a new row, and the newest
-- counts.
create table withdrawal_cost_policy (
  version int primary key check (version > 0),
  -- Of the part of a withdrawal that is card money, in hundredths of a percent.
  basis_points int not null check (basis_points between 0 and 1000),
  -- Money that cards paid in longer ago costs nothing.
  card_days int not null check (card_days >= 0)
);
insert into withdrawal_cost_policy values (1, 250, 60);

alter table payout
  -- Taken on top of the amount, which the bank gets in full.
  add column fee_minor numeric(38, 0) not null default 0 check (fee_minor >= 0),
  -- What of the amount is card money for which the fee was taken.
  add column card_minor numeric(38, 0) not null default 0 check (card_minor between 0 and amount_minor),
  add column cost_version int references withdrawal_cost_policy (version),
  add constraint payout_fee_is_of_card_money check (fee_minor = 0 or card_minor > 0);
