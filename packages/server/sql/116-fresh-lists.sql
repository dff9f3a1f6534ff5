-- Owner: compliance. Lists that must be fresh before people are verified and paid, and their fetched states.

-- In production, people are verified and money moves only while the list of each required source is fresh.
alter table screening_policy add column is_required boolean not null default false;
update screening_policy set is_required = true where source in ('ofac_sdn', 'un', 'eu', 'uk');

-- Started by an import while a required list was missing or stale: people wait until they are screened against it.
alter table screening_epoch add column ends_gap boolean not null default false;
