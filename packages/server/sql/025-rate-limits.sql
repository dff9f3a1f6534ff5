-- Owner: server. Rate limits and turns at a login, counted once for all processes.

-- What was counted against one limit in its present window. After a crash of the database the table is empty, so that
-- counting begins anew; in exchange it costs no log and no flush.
create unlogged table rate_limit (
  -- The limit's name, and the user or the keyed hash of the address.
  key text primary key,
  counted int not null,
  -- Calls under way that may count yet.
  held int not null,
  -- What the last statement granted, for that statement to read back.
  granted int not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- Which check of an account's proof is under way. One whose process has died gives way when its time is over.
alter table login_attempt add column check_id uuid;
alter table login_attempt add column check_until timestamptz;
