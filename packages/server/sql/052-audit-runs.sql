-- When the books were last audited and what came out, for monitoring. Written by `npm run audit`, which else only reads.
create table audit_run (
  id uuid primary key,
  finished_at timestamptz not null,
  checks integer not null check (checks > 0),
  broken integer not null check (broken between 0 and checks)
);
create index audit_run_last on audit_run (finished_at);
