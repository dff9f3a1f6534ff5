-- Owner: compliance. Travel rule: who paid whom, kept beside each transfer from an amount on (FATF recommendation 16).

-- From which amount on, by the country where one of the two lives, in a currency of its law. The newest valid row of a country
-- counts, and of two countries the lower. `source` names the law, as docs/travel-rule.md lists it.
create table travel_rule_threshold (
  country text not null check (country ~ '^[A-Z]{2}$'),
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38, 0) not null check (threshold_minor >= 0),
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  primary key (country, valid_from)
);
insert into travel_rule_threshold (country, valid_from, currency, threshold_minor, source) values
  ('US', '2026-01-01', 'USD', 300000, 'cfr_31_1010_410_f'),
  ('GB', '2026-01-01', 'GBP', 0, 'mlr_2017_part_7a'),
  ('CA', '2026-01-01', 'CAD', 100000, 'pcmltfr_travel_rule'),
  ('AU', '2026-01-01', 'AUD', 0, 'aml_ctf_act_2006_part_5'),
  ('DE', '2026-01-01', 'EUR', 0, 'eu_2023_1113'),
  ('FR', '2026-01-01', 'EUR', 0, 'eu_2023_1113'),
  ('JP', '2026-01-01', 'JPY', 0, 'aptcp_10'),
  ('SG', '2026-01-01', 'SGD', 150000, 'mas_psn01_psn02'),
  ('IN', '2026-01-01', 'INR', 0, 'fiu_ind_vda_guidelines'),
  ('BR', '2026-01-01', 'BRL', 0, 'bcb_3978_2020');

-- One for each transfer that needs it. `content` is an IVMS101 message, sealed; nothing else names the two.
create table travel_rule_record (
  transaction_id uuid primary key,
  originator_id bigint not null references app_user (id),
  -- Of a payout the originator again.
  beneficiary_id bigint not null references app_user (id),
  kind text not null check (kind in ('send', 'payout')),
  -- US dollar cents at the rates of the recording; null when there were none.
  usd_minor numeric(38, 0) check (usd_minor >= 0),
  -- Whose threshold it reaches; null when somebody's country is not known or has none.
  threshold_country text,
  threshold_valid_from date,
  content bytea not null,
  moved_at timestamptz not null,
  recorded_at timestamptz not null,
  foreign key (threshold_country, threshold_valid_from) references travel_rule_threshold (country, valid_from)
);
create index travel_rule_record_of_originator on travel_rule_record (originator_id, moved_at);
create index travel_rule_record_of_beneficiary on travel_rule_record (beneficiary_id, moved_at);
create index travel_rule_record_old on travel_rule_record using brin (moved_at) with (pages_per_range = 16, autosummarize = on);

-- One row. The transfers of every transaction number below `position` have their record. In another cluster the number means nothing:
-- then everything since a day before `at` is looked at again.
create table travel_rule_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null,
  at timestamptz not null
);
insert into travel_rule_position (position, cluster, at)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier, now() from pg_control_system();
