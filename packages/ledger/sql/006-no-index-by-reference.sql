-- Every posting paid for an index of references, and nothing looks postings up by one: the audit reads all of them.
drop index ledger.posting_reference;
