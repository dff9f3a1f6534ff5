-- Owner: identity. Whole names that the review of a send has shown, each counted against the names of a day.
-- A send made after that keeps naming its payee to its sender, whatever becomes of it.
create table shown_name (
  viewer_id bigint not null references app_user (id),
  owner_id bigint not null references app_user (id),
  shown_at timestamptz not null,
  primary key (viewer_id, owner_id),
  constraint shown_name_of_another check (viewer_id <> owner_id)
);
create index shown_name_by_owner on shown_name (owner_id);
create index shown_name_by_time on shown_name (shown_at);

create trigger people_are_there before insert on shown_name
  for each row execute function refuse_deleted_user('viewer_id', 'owner_id');

-- After a name changes, the new one counts as not shown.
create function forget_shown_names() returns trigger language plpgsql as $$
begin
  delete from shown_name where owner_id = new.id;
  return null;
end
$$;
create trigger forget_shown_names after update of name on app_user
  for each row when (old.name is distinct from new.name) execute function forget_shown_names();
