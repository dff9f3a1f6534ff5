-- Owner: orders. Pairs whose rate is too old to use, and people who want to be told when there is one again: once, then the row goes.

create table rate_return_alert (
  user_id bigint not null references app_user (id),
  source_currency text not null references ledger.currency (code),
  target_currency text not null references ledger.currency (code),
  created_at timestamptz not null,
  primary key (user_id, source_currency, target_currency),
  constraint rate_return_alert_two_currencies check (source_currency <> target_currency)
);
create index rate_return_alert_pair on rate_return_alert (source_currency, target_currency);
create index rate_return_alert_old on rate_return_alert (created_at);
