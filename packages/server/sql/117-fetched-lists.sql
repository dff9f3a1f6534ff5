-- Owner: compliance. What was last fetched of each list, and what went wrong.

create table screening_fetch (
  source text primary key references screening_policy (source),
  -- Of each file of `version`: its address, and what the publisher calls this state of it (ETag, Last-Modified).
  files jsonb not null default '[]' check (jsonb_typeof(files) = 'array'),
  -- The version that came of them; null before the first.
  version integer check (version > 0),
  tried_at timestamptz not null,
  -- Why the newest attempt failed; null where it did not. The version in force stays.
  failure text check (failure <> ''),
  -- Since when no attempt has succeeded.
  failing_since timestamptz,
  check ((failure is null) = (failing_since is null))
);
