-- Owner: wallets. The application may call this function and not write the table: so it must not count anything up, which
-- would use up somebody's limit, nor below zero.
create or replace function reverse_limit_usage(usage_user_id bigint, usage_day date, usage_usd_minor numeric) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update limit_usage set usd_minor = usd_minor - least(usd_minor, greatest(usage_usd_minor, 0))
   where user_id = usage_user_id and day = usage_day
$$;
