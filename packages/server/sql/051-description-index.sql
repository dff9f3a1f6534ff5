-- Owner: wallets. Sentences of the catalogue by which lists are searched and sorted have changed: without its position the index of
-- long lists is built anew, and until then those lists are read row by row.
delete from transaction_index_position;
