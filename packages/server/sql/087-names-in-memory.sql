-- Owner: compliance. Each process folds the listed names itself and keeps them in memory; the database keeps them as they are listed.

drop index screening_name_spellings;
drop index screening_name_consonants;
alter table screening_name drop column words, drop column spellings, drop column consonants;
