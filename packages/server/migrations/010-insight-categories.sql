-- Categories that people choose for their transactions.
-- compatible

-- Category of all of a user's transactions with another user.
create table counterparty_category (
  user_id bigint not null references app_user,
  counterparty_id bigint not null references app_user,
  category text not null check (category in ('family', 'home', 'services', 'suppliers', 'salary', 'sales', 'travel',
    'health', 'education', 'gifts', 'shared', 'other')),
  chosen_at timestamptz not null,
  primary key (user_id, counterparty_id)
);
create trigger people_are_there before insert on counterparty_category
  for each row execute function refuse_deleted_user('user_id');
create index counterparty_category_of_counterparty on counterparty_category (counterparty_id);

-- Category of one transaction in its user's list, which outranks that of its counterparty.
create table transaction_category (
  user_id bigint not null references app_user,
  transaction_id uuid not null,
  category text not null check (category in ('family', 'home', 'services', 'suppliers', 'salary', 'sales', 'travel',
    'health', 'education', 'gifts', 'shared', 'other')),
  chosen_at timestamptz not null,
  primary key (user_id, transaction_id)
);
create trigger people_are_there before insert on transaction_category
  for each row execute function refuse_deleted_user('user_id');
