-- Owner: payments. Returned money names the report that had taken it, so that winning a dispute gives back what that dispute took.

-- Of a `chargeback_reversal`: the report whose money it returned, if the provider named it, and that report's kind.
-- Both are null for rows of older versions.
alter table settlement_line
  add column undoes text,
  add column undone_kind text check (undone_kind in ('refund', 'chargeback', 'debit_return'));
alter table settlement_line add constraint settlement_line_undoes
  check (kind = 'chargeback_reversal' or (undoes is null and undone_kind is null));

-- Search words and sorted descriptions fold letters without a decomposition, such as ł and ß. The index of long lists is built anew;
-- until then long lists are searched and sorted row by row.
delete from transaction_search;
delete from transaction_facet;
delete from transaction_word;
update transaction_index_person set is_ready = false, built_from = null, built_to = null;
