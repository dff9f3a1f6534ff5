-- Owner: compliance. Last fetched state and last failure of each list.

create table screening_fetch (
  source text primary key references screening_policy (source),
  -- Address and validators (ETag, Last-Modified) of each file of `version`.
  files jsonb not null default '[]' check (jsonb_typeof(files) = 'array'),
  -- Version imported from them; null before the first.
  version integer check (version > 0),
  tried_at timestamptz not null,
  -- Reason why the newest attempt failed; null if it succeeded. The version in force stays.
  failure text check (failure <> ''),
  -- Time of the first failure since the last success.
  failing_since timestamptz,
  check ((failure is null) = (failing_since is null))
);
