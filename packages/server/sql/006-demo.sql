-- The sandbox's demo data: whether it was begun and finished. One row at most.
create table demo_seed (
  only_one boolean primary key default true check (only_one),
  started_at timestamptz not null,
  finished_at timestamptz
);
