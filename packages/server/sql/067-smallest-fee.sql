-- Owner: exchange. What the smallest sends and exchanges cost.

-- So many movements a day (UTC) whose fee rounds to nothing are free; each further one costs the smallest fee, in minor units
-- of its source currency.
create table fee_policy (
  only_one boolean primary key default true check (only_one),
  free_movements_per_day integer not null check (free_movements_per_day >= 0),
  smallest_fee_minor integer not null check (smallest_fee_minor >= 0)
);
insert into fee_policy (free_movements_per_day, smallest_fee_minor) values (5, 1);
