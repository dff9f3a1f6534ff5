-- A password reset at a new address keeps the factors of an owner who had proven an earlier one.
-- compatible

-- True if an address of the account was proven before it moved to another.
alter table app_user add column proven_before_move boolean not null default false;
