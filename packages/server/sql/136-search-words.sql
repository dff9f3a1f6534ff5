-- Owner: wallets. Search knows more words: figures of every script, names without their apostrophes, amounts joined to a
-- currency. The index of long lists is built anew; until then long lists are searched and sorted row by row.
delete from transaction_search;
delete from transaction_facet;
delete from transaction_word;
update transaction_index_person set is_ready = false, built_from = null, built_to = null;
