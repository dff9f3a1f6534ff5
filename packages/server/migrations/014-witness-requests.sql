-- When each witness of the transparency log is asked again.
-- compatible

-- No worker sends the witness a checkpoint before this time. Infinity after a refusal, which an operator has to end.
alter table transparency_witness add column next_at timestamptz not null default '-infinity';
-- Failures in a row.
alter table transparency_witness add column failures int not null default 0 check (failures >= 0);
