-- Owner: kyc. A submission names the identity provider that is asked about it; so far there was one.

alter table kyc_submission add column provider text not null default 'sandbox';
alter table kyc_submission alter column provider drop default;
