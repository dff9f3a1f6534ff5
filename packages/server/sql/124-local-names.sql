-- Owner: kyc and identity. Names in the owner's own script, and people with a single name.

-- The name in its own script, sealed like the numbers of a form and bound to the same row.
alter table kyc_submission add column local_name bytea;
-- The same of the form that verified the person, sealed under their number.
alter table app_user add column local_name bytea;
