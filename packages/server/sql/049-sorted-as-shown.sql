-- Owner: wallets. Lists sorted by description go by what their column shows: the other person or the two currencies first,
-- then the description, without regard to case and accents. That text takes the place of the description in the index of
-- long lists, which is built anew; until then long lists are sorted row by row.
delete from transaction_search;
delete from transaction_facet;
delete from transaction_word;
update transaction_index_person set is_ready = false, built_from = null, built_to = null;
