-- Finds the postings that the transparency log has not read yet. A block range index costs an insert next to nothing.
-- compatible
-- no transaction
create index concurrently if not exists posting_xid on ledger.posting
  using brin (xid) with (pages_per_range = 32, autosummarize = on);
