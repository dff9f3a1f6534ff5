-- Owner: payments. What a withdrawal counted against the limits of the day it was ordered on (UTC), in US dollar cents: it is taken back
-- when the money does not stay at the bank. 0 where that was not written down yet.
alter table payout add column usd_minor numeric(38, 0) not null default 0 check (usd_minor >= 0);
