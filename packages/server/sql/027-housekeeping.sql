-- Owner: server. What housekeeping.ts needs to find and clear old rows in small batches.

create index refresh_token_expires_at on refresh_token (expires_at);
create index session_last_used_at on session (last_used_at);
create index provider_event_received_at on provider_event (received_at);
-- By day first: old days are found by the one index that counting needs. A second index by day would be taken for the first
-- one while money moves, and read everybody's use of the day.
alter table limit_usage drop constraint limit_usage_pkey, add primary key (day, user_id);
create index mail_created_at on mail (created_at);
create index external_link_expires_at on external_link (expires_at);
create index spent_id_token_expires_at on spent_id_token (expires_at);

-- Who clears a session asks whether any of these names it.
create index proof_session on proof (session_id);
create index mailed_link_session on mailed_link (session_id) where session_id is not null;
create index passkey_session on passkey (session_id) where session_id is not null;
create index totp_session on totp (session_id) where session_id is not null;

-- Clears at most so many of the days before the given one, never one of the last 400, and gives whose they were. The
-- application's role may not delete from the table itself: today's use would be gone with it.
create function clear_limit_usage(before date, at_most int) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from limit_usage where ctid = any (array(
    select ctid from limit_usage where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  )) returning user_id;
$$;
revoke all on function clear_limit_usage(date, int) from public;
