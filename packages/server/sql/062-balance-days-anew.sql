-- Owner: wallets. What comes back on the day it left counts no longer as money in and money out, so the days are summed anew.
delete from balance_day;
