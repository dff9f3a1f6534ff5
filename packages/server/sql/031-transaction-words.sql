-- Owner: wallets. The words of long lists, so that a search knows beforehand how often it finds and where.

-- Every word by which indexed rows of a person are found, in each facet; but of words that begin with a digit, which are too
-- many, only years.
create table transaction_word (
  user_id bigint not null,
  -- Without the number of its user, unlike in transaction_search.terms.
  word text collate "C" not null,
  facet int not null,
  row_count bigint not null,
  -- No row with the word is outside of these; it may have left the outermost ones.
  first_id uuid not null,
  last_id uuid not null,
  first_description text collate "C" not null,
  last_description text collate "C" not null,
  primary key (user_id, word, facet)
);

-- What is indexed already is indexed anew, with its words; until then long lists are searched row by row.
delete from transaction_search;
delete from transaction_facet;
update transaction_index_person set is_ready = false, built_from = null, built_to = null;
