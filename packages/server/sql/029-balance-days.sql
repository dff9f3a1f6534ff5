-- Owner: wallets. What came in and went out on each complete day (UTC) of an account with many entries, so that the
-- history of a year is not added up from every entry. Written by the worker, and by whoever needs a day that is missing;
-- a day without entries has no row. The ledger stays the truth: all of it can be deleted and is made anew.
create table balance_day (
  account_id bigint not null,
  day date not null,
  -- Of the account's entries, the last that belongs to the day.
  last_version bigint not null,
  money_in numeric(38, 0) not null,
  money_out numeric(38, 0) not null,
  primary key (account_id, day)
);
create unique index balance_day_version on balance_day (account_id, last_version);
