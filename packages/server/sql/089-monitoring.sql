-- Owner: compliance. What in somebody's payments makes people look at them (docs/monitoring.md).

-- The numbers of the rules. A new version is a new row; the newest counts, and every case names its own. Amounts are US dollar cents.
create table monitoring_policy (
  version int primary key check (version > 0),
  -- So many movements in one direction, each from this share of a reporting threshold on and below it.
  structuring_hours int not null check (structuring_hours > 0),
  structuring_count int not null check (structuring_count > 1),
  structuring_percent int not null check (structuring_percent between 1 and 99),
  -- What strangers sent, at least so much, and this share of it goes to strangers.
  rapid_hours int not null check (rapid_hours > 0),
  rapid_usd_minor numeric(38, 0) not null check (rapid_usd_minor > 0),
  rapid_percent int not null check (rapid_percent between 1 and 100),
  -- So many strangers send, unasked.
  fan_in_hours int not null check (fan_in_hours > 0),
  fan_in_senders int not null check (fan_in_senders > 1),
  -- A young account: so many strangers send, unasked, and this share goes to a bank or to so many strangers.
  mule_account_days int not null check (mule_account_days > 0),
  mule_hours int not null check (mule_hours > 0),
  mule_senders int not null check (mule_senders > 1),
  mule_percent int not null check (mule_percent between 1 and 100),
  mule_payees int not null check (mule_payees > 1),
  -- Whoever paid or was paid so long before is no stranger.
  known_days int not null check (known_days > 0)
);
insert into monitoring_policy values (1, 72, 3, 80, 24, 200000, 80, 24, 10, 30, 168, 5, 70, 2, 30);

-- From which amount on a movement is reported by itself, by the country of its person; the newest valid row of each source counts.
create table reporting_threshold (
  country text not null check (country ~ '^[A-Z]{2}$'),
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38, 0) not null check (threshold_minor > 0),
  primary key (country, source, valid_from)
);
insert into reporting_threshold (country, source, valid_from, currency, threshold_minor) values
  ('US', 'cfr_31_1010_311', '2026-01-01', 'USD', 1000000),
  ('US', 'cfr_31_1010_410_f', '2026-01-01', 'USD', 300000),
  ('GB', 'mlr_2017_reg_27', '2026-01-01', 'EUR', 1000000),
  ('CA', 'pcmltfr_large_value', '2026-01-01', 'CAD', 1000000),
  ('AU', 'aml_ctf_act_2006_s43', '2026-01-01', 'AUD', 1000000),
  ('DE', 'eu_2024_1624', '2026-01-01', 'EUR', 1000000),
  ('FR', 'eu_2024_1624', '2026-01-01', 'EUR', 1000000),
  ('JP', 'aptcp_8', '2026-01-01', 'JPY', 2000000),
  ('SG', 'cdsa_crr', '2026-01-01', 'SGD', 2000000),
  ('IN', 'pmla_rules_3', '2026-01-01', 'INR', 100000000),
  ('BR', 'bcb_3978_2020_art49', '2026-01-01', 'BRL', 5000000);

-- One row, as travel_rule_position: whose payments of every transaction number below have been looked at.
create table monitoring_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null,
  at timestamptz not null
);
insert into monitoring_position (position, cluster, at)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier, now() from pg_control_system();

-- Whether somebody asked for what they got.
create index request_payment_of_transaction on request_payment (transaction_id);
