-- Owner: compliance. Lists that must be up to date before people are verified and paid, and what is fetched of them.

-- Without a fresh list of each required source, nobody is verified and nothing moves in production.
alter table screening_policy add column is_required boolean not null default false;
update screening_policy set is_required = true where source in ('ofac_sdn', 'un', 'eu', 'uk');

-- Begun by an import while a required list was missing or too old: people wait until they are screened by it.
alter table screening_epoch add column ends_gap boolean not null default false;
