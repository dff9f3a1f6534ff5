-- Owner: prices. Finds the entries of a posting without trusting any clock.

-- Entries carry the time of their posting, whatever the clock said then, so those of a posting are found by exactly its time:
-- a summary per range of pages tells where entries of that time can be. It costs an insert next to nothing, unlike an index of
-- entries by posting, and a clock that went back only makes a range or two more to read.
create index entry_created_at on ledger.entry using brin (created_at) with (pages_per_range = 32, autosummarize = on);
