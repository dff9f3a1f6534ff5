-- Owner: risk. Street mode: somebody who is away from their own places, or pays at night, can send little at once. What is more
-- waits for an hour and then for a second proof. Off until somebody turns it on.

-- The numbers of the rules. A new version is a new row, and the newest counts.
create table street_policy (
  version int primary key check (version > 0),
  -- What is held cannot be confirmed before, and comes back when it was not confirmed for so long after that.
  hold_minutes int not null check (hold_minutes > 0),
  confirm_hours int not null check (confirm_hours > 0),
  -- What weakens the mode takes effect only after this.
  weaken_after_hours int not null check (weaken_after_hours > 0),
  -- What passed within so many hours counts against the person's limit, together.
  counted_hours int not null check (counted_hours > 0),
  most_places int not null check (most_places > 0),
  -- By how much rates may have moved for its recipient's good before what is held can no longer be confirmed.
  price_tolerance_basis_points int not null check (price_tolerance_basis_points >= 0)
);
insert into street_policy values (1, 60, 24, 24, 24, 5, 100);

-- What somebody has chosen, and from when on it holds: the newest that holds counts, and one at most waits.
create table street_setting (
  user_id bigint not null references app_user (id),
  valid_from timestamptz not null,
  is_on boolean not null,
  -- In minor units of the person's own currency, and what that was in US dollar cents when it was chosen.
  limit_minor numeric(38, 0) not null check (limit_minor >= 0),
  currency text not null,
  limit_usd_minor numeric(38, 0) not null check (limit_usd_minor >= 0),
  -- Full hours of the time zone; night lasts until the other hour begins. Equal: there is no night.
  night_from smallint not null check (night_from between 0 and 23),
  night_until smallint not null check (night_until between 0 and 23),
  time_zone text not null,
  primary key (user_id, valid_from)
);

-- Where somebody is at home: a network as sessions name it, never a position.
create table street_place (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  name text not null,
  country text,
  network text not null,
  trusted_from timestamptz not null,
  created_at timestamptz not null,
  unique (user_id, network)
);

-- What passed while its sender was away or it was night. `movement` is made of the key of the request: asked again, it counts once.
create table street_passed (
  movement uuid primary key,
  user_id bigint not null references app_user (id),
  passed_at timestamptz not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0)
);
create index street_passed_of_user on street_passed (user_id, passed_at);
create index street_passed_old on street_passed using brin (passed_at) with (pages_per_range = 16, autosummarize = on);

-- Decides about a movement: 'off', 'home', 'passed' within the limit, which counts it, or 'held'. One movement of a person at a
-- time, in whatever process, without waiting for a disk: WAL is written in order, so a payment that outlives a crash does so with
-- what it counted.
create function pass_street(movement_id uuid, person bigint, at timestamptz, usd numeric, from_network text, is_night boolean)
returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  setting street_setting;
  counted numeric;
begin
  select * into setting from street_setting s where s.user_id = person and s.valid_from <= at order by s.valid_from desc limit 1;
  if setting.is_on is not true then
    return 'off';
  end if;
  if not is_night and exists (select from street_place p
      where p.user_id = person and p.network = from_network and p.trusted_from <= at) then
    return 'home';
  end if;
  perform set_config('synchronous_commit', 'off', true);
  perform from app_user where id = person for no key update;
  if exists (select from street_passed p where p.movement = movement_id) then
    return 'passed';
  end if;
  select coalesce(sum(p.usd_minor), 0) into counted from street_passed p
   where p.user_id = person
     and p.passed_at > at - make_interval(hours => (select counted_hours from street_policy order by version desc limit 1));
  if counted + usd > setting.limit_usd_minor then
    return 'held';
  end if;
  insert into street_passed values (movement_id, person, at, usd);
  return 'passed';
end
$$;

alter table transfer drop constraint transfer_hold_reason_check;
alter table transfer add constraint transfer_hold_reason_check check (hold_reason in
  ('undo', 'scheduled', 'review', 'compliance', 'street_mode'));

-- From when on what is held by street mode can be confirmed, counted from when its money is there, and when its sender was told.
create table street_hold (
  transfer_id uuid primary key references transfer (id),
  confirm_after_seconds int not null check (confirm_after_seconds > 0),
  told_at timestamptz
);
create index street_hold_untold on street_hold (transfer_id) where told_at is null;
