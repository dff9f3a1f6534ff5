-- Owner: identity. Whom people have marked to find them first.
create table favorite (
  user_id bigint not null references app_user (id),
  favorite_id bigint not null references app_user (id),
  created_at timestamptz not null,
  primary key (user_id, favorite_id),
  constraint favorite_of_another check (user_id <> favorite_id)
);
